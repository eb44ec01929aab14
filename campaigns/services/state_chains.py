"""How the document of a version is read from the rows that hold it: a whole one, and differences upon it.

A chain is given as its rows, the wanted version first, each row being the base of the one before it.
"""

import hashlib
import json
import zlib
from collections.abc import Sequence
from itertools import pairwise

from campaigns.json_patch import apply_patch
from campaigns.models import StateVersion

# A version and its bases, down to a whole document.
MOST_ROWS = 7

# It ends even where bases lead in a circle: what cannot be the base of the row before it is the last one.
_CHAIN = """
WITH RECURSIVE line(id, campaign, base, chain, step, is_sound) AS (
    SELECT id, campaign_id, base_id, chain, 0, TRUE FROM campaigns_stateversion WHERE id = %s
    UNION ALL
    SELECT base.id, base.campaign_id, base.base_id, base.chain, line.step + 1,
        base.campaign_id = line.campaign AND base.chain < line.chain
    FROM line JOIN campaigns_stateversion base ON base.id = line.base WHERE line.is_sound
)
SELECT state.* FROM line JOIN campaigns_stateversion state ON state.id = line.id ORDER BY line.step
"""

_OTHER_THAN_HASHED = "does not match its hash"
# What comes of reading bytes that nobody wrote as a document: no JSON, no patch, or nested beyond all use.
_UNUSABLE = (ValueError, RecursionError)


class DamagedStateError(ValueError):
    """A document cannot be read. ``version_id`` is the version at fault: the wanted one, or one below it."""

    def __init__(self, version_id: int, what: str) -> None:
        super().__init__(f"State version {version_id} {what}.")
        self.version_id = version_id


def chain_after(chain: int) -> int:
    """The number of a version made from the one with this number.

    Adding the lowest set bit carries on to a number with fewer bits, whose base is in the same chain.
    """
    following = chain + 1
    while following.bit_count() >= MOST_ROWS:
        following += following & -following
    return following


def load_chain(version_id: int) -> list[StateVersion]:
    """The chain of a version by one statement; empty where there is no such version."""
    return list(StateVersion.objects.raw(_CHAIN, [version_id]))


def read_chain(rows: Sequence[StateVersion]) -> dict[str, object]:
    """The document of the first row. Raises DamagedStateError, with the deepest version at fault.

    The whole document and the wanted one are held against their hashes. What lies between is so only to find
    out where a chain went wrong.
    """
    for version, base in pairwise(rows):
        _require_base(version, base)
    *differences, whole = rows
    document = beginning = _read_whole(whole)
    for version in reversed(differences):
        document = _apply(version, document)
    if not differences or _is_hashed(rows[0], document):
        return document
    document = beginning
    for version in reversed(differences):
        document = _require_hash(version, _apply(version, document))
    return document


def read_on_base(version: StateVersion, base: StateVersion, document: dict[str, object]) -> dict[str, object]:
    """The document of a version, of which the base and its document are there already."""
    _require_base(version, base)
    return _require_hash(version, _apply(version, document))


def canonical_json(document: object) -> bytes:
    """One way of writing a document, so that equal documents have equal hashes.

    Raises ValueError for a number that JSON has no word for.
    """
    return json.dumps(
        document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def hash_of(canonical: bytes) -> str:
    return hashlib.sha256(canonical).hexdigest()


def pack(canonical: bytes) -> bytes:
    return zlib.compress(canonical, 9)


def unpack(packed: bytes | memoryview) -> bytes:
    return zlib.decompress(packed)


def _require_base(version: StateVersion, base: StateVersion) -> None:
    said = f"is a difference from state version {base.pk}, which"
    if base.campaign_id != version.campaign_id:
        raise DamagedStateError(version.pk, f"{said} is campaign {base.campaign_id}'s")
    if base.chain >= version.chain:
        raise DamagedStateError(version.pk, f"{said} does not come before it in its chain")


def _read_whole(version: StateVersion) -> dict[str, object]:
    if version.base_id is not None:
        raise DamagedStateError(
            version.pk, f"is a difference from state version {version.base_id}, which is not there"
        )
    canonical = _unpack(version)
    if hash_of(canonical) != version.content_hash:
        raise DamagedStateError(version.pk, _OTHER_THAN_HASHED)
    return _require_object(version, _parse(version, canonical))


def _apply(version: StateVersion, document: dict[str, object]) -> dict[str, object]:
    patch = _parse(version, _unpack(version))
    try:
        patched = apply_patch(document, patch)
    except _UNUSABLE as error:
        raise DamagedStateError(version.pk, f"cannot be read as a difference: {error}") from error
    return _require_object(version, patched)


def _unpack(version: StateVersion) -> bytes:
    try:
        return unpack(version.document)
    except (zlib.error, TypeError) as error:
        raise DamagedStateError(version.pk, f"cannot be unpacked: {error}") from error


def _parse(version: StateVersion, written: bytes) -> object:
    try:
        return json.loads(written)
    except _UNUSABLE as error:
        raise DamagedStateError(version.pk, f"is not written as JSON: {error}") from error


def _require_object(version: StateVersion, document: object) -> dict[str, object]:
    if not isinstance(document, dict):
        raise DamagedStateError(version.pk, "holds no document")
    return document


def _require_hash(version: StateVersion, document: dict[str, object]) -> dict[str, object]:
    if not _is_hashed(version, document):
        raise DamagedStateError(version.pk, _OTHER_THAN_HASHED)
    return document


def _is_hashed(version: StateVersion, document: dict[str, object]) -> bool:
    try:
        return hash_of(canonical_json(document)) == version.content_hash
    except _UNUSABLE:
        # Damaged bytes may hold what no document can.
        return False
