"""Slows down guessing: after a few failed sign-ins, each further one costs a longer wait.

Counted per address and per account, in the cache of this process. A wait ends by itself, because a lock that
lasts would let a stranger keep the owner out.
"""

import time
from dataclasses import dataclass

from django.core.cache import cache

FREE_FAILURES = 5
LONGEST_WAIT = 60
_MEMORY = 15 * 60


@dataclass(frozen=True, slots=True)
class _Failures:
    count: int
    blocked_until: float


def seconds_to_wait(*keys: str) -> int:
    """How long until an attempt under all of these keys is heard; 0 is now."""
    now = time.time()
    waits = [failures.blocked_until - now for failures in map(_recall, keys)]
    # A clock that was set back must not prolong a wait.
    return max(0, *(min(LONGEST_WAIT, round(wait + 0.5)) for wait in waits))


def record_failure(*keys: str) -> None:
    for key in keys:
        count = _recall(key).count + 1
        wait = min(LONGEST_WAIT, 2 ** (count - FREE_FAILURES)) if count >= FREE_FAILURES else 0
        cache.set(_cache_key(key), _Failures(count, time.time() + wait), _MEMORY)


def forget_failures(*keys: str) -> None:
    """After a success."""
    cache.delete_many([_cache_key(key) for key in keys])


def _recall(key: str) -> _Failures:
    failures: _Failures | None = cache.get(_cache_key(key))
    return failures or _Failures(0, 0.0)


def _cache_key(key: str) -> str:
    return f"sign-in:{key.encode().hex()[:200]}"  # a typed name can hold what a cache key may not
