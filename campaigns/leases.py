"""Which process serves a submission, and whether it still lives.

Each process that tells turns holds an operating-system lock on a file of its own in the data folder, for as
long as it lives. A lease is the name of that file. The kernel frees the lock at the process's death, however
it dies, so a lease whose file can be locked by somebody else is void at once: no clock, no heartbeat.
"""

import atexit
import os
import threading
import uuid
from pathlib import Path

from django.conf import settings
from filelock import FileLock, Timeout

_PROBES = 3
_guard = threading.Lock()
_held: dict[tuple[int, Path], FileLock] = {}


def holder_name() -> str:
    """The name of this process's lock, which is taken first if it is not held yet."""
    with _guard:
        key = (os.getpid(), _folder())
        lock = _held.get(key)
        if lock is None:
            lock = _held[key] = _take_lock()
        return Path(lock.lock_file).stem


def is_alive(holder: str) -> bool:
    """Whether the process that holds this lease still lives. The file of a dead one is cleared away."""
    path = _folder() / f"{holder}.lock"
    lock = _held.get((os.getpid(), _folder()))
    if lock is not None and Path(lock.lock_file) == path:
        return True
    # Somebody else may be probing a dead one at this very moment, which looks like a living holder until the
    # file is gone an instant later.
    return all(path.exists() and not _clear_if_dead(path) for _ in range(_PROBES))


def _clear_if_dead(path: Path) -> bool:
    probe = FileLock(path, timeout=0, thread_local=False)
    try:
        probe.acquire()
    except Timeout:
        return False
    path.unlink(missing_ok=True)  # while it is locked: nobody can take it for a living one meanwhile
    probe.release()
    return True


def clear_dead() -> None:
    """Remove the files that killed processes left behind."""
    for path in _folder().glob("*.lock"):
        is_alive(path.stem)


def _take_lock() -> FileLock:
    while True:
        path = _folder() / f"{uuid.uuid4().hex}.lock"
        lock = FileLock(path, timeout=5, thread_local=False)
        lock.acquire()
        if path.exists():  # else another process took the new file for a dead one's and cleared it away
            atexit.register(_let_go, lock, os.getpid())
            return lock


def _let_go(lock: FileLock, process: int) -> None:
    if os.getpid() == process:
        Path(lock.lock_file).unlink(missing_ok=True)
        lock.release(force=True)


def _folder() -> Path:
    folder: Path = settings.DATA_FOLDER / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
