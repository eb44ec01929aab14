"""Storing state documents: equal ones once, and the others as what changed.

A version holds its whole document, or the difference from the document of its base. Versions are counted from
the whole one that their line began at, and the base of version i is i with its lowest set bit taken off. That
is its parent, or one of the versions that its parent is read from::

    chain   0   1   2   3   4   5   6   7   8    7 is read from 6, 4 and 0: a version before it
    base        0   0   2   0   4   4   6   0    for every bit that it has set

Numbers with more than six bits set are passed over, so a version is read from seven rows at most, by one
statement. A document is stored whole again when what changed since its base has come to half of it, and not
before: else a large document that hardly changes would cost what it holds, and not what happens to it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db import connection

from campaigns.json_patch import apply_patch, make_patch
from campaigns.models import StateVersion
from campaigns.services.state_chains import (
    MOST_ROWS,
    DamagedStateError,
    canonical_json,
    chain_after,
    hash_of,
    load_chain,
    pack,
    read_chain,
    read_on_base,
    unpack,
)

__all__ = [
    "EMPTY_DOCUMENT",
    "MOST_ROWS",
    "DamagedStateError",
    "canonical_json",
    "delete_unneeded_states",
    "read_document",
    "read_documents",
    "read_state",
    "record_state_version",
]

EMPTY_DOCUMENT: Mapping[str, object] = {"version": 1}
# The last number that the column is made for. After it a line begins anew.
_LAST_CHAIN = 2**15 - 1
# A document of this many times a difference's bytes is not packed only to compare the two: the text of a
# story comes to a quarter of its length.
_SURELY_SHORTER = 64
# Documents that are based on one another share what did not change, so that many cost little more than one.
_KEPT = 64

_UNNEEDED = """
WITH RECURSIVE needed(id) AS (
    SELECT id FROM campaigns_stateversion state WHERE campaign_id = %(campaign)s
    AND EXISTS (SELECT 1 FROM campaigns_take take WHERE take.state_version_id = state.id)
    UNION
    SELECT state.base_id FROM needed JOIN campaigns_stateversion state ON state.id = needed.id
    WHERE state.base_id IS NOT NULL
)
SELECT id FROM campaigns_stateversion WHERE campaign_id = %(campaign)s AND id NOT IN (SELECT id FROM needed)
"""
_FORGET_PARENTS = f"UPDATE campaigns_stateversion SET parent_id = NULL WHERE parent_id IN ({_UNNEEDED})"  # noqa: S608 - our own words
_DELETE = f"DELETE FROM campaigns_stateversion WHERE id IN ({_UNNEEDED})"  # noqa: S608 - our own words


@dataclass(frozen=True, slots=True)
class _Stored:
    """How a document is stored."""

    packed: bytes
    base_id: int | None = None
    chain: int = 0


@dataclass(frozen=True, slots=True)
class _Read:
    version: StateVersion
    outcome: dict[str, object] | DamagedStateError


def record_state_version(
    *, campaign_id: int, document: Mapping[str, object], parent_id: int | None
) -> StateVersion:
    """The campaign's version with this document, made if there is none yet. Call it inside a transaction."""
    canonical = canonical_json(document)
    content_hash = hash_of(canonical)
    known = StateVersion.objects.filter(campaign_id=campaign_id, content_hash=content_hash).first()
    if known is not None:
        return known
    stored = _shorter(_difference(canonical, campaign_id=campaign_id, parent_id=parent_id), canonical)
    return StateVersion.objects.create(
        campaign_id=campaign_id,
        parent_id=parent_id,
        base_id=stored.base_id,
        chain=stored.chain,
        document=stored.packed,
        content_hash=content_hash,
    )


def read_document(version: StateVersion) -> dict[str, object]:
    """The document of a version. Raises ValueError where the stored bytes are not what was hashed.

    Asks the database only for the bases that the version was loaded without, by one statement.
    """
    rows = [version]
    while (base := _loaded_base(rows[-1])) is not None:
        rows.append(base)
    if rows[-1].base_id is not None:
        rows += load_chain(rows[-1].base_id)
    return read_chain(rows)


def read_state(version_id: int) -> dict[str, object]:
    """The document of the version with this id, by one statement. Raises ValueError as read_document does."""
    rows = load_chain(version_id)
    if not rows:
        raise DamagedStateError(version_id, "is not there")
    return read_chain(rows)


def read_documents(
    versions: Iterable[StateVersion],
) -> Iterator[tuple[StateVersion, dict[str, object] | DamagedStateError]]:
    """Each version with its document, or with what keeps it from being read.

    One step a version where they come in the order in which they were recorded: what was used last is kept,
    and what the next one is based on is among it.
    """
    kept: dict[int, _Read] = {}
    for version in versions:
        read = kept[version.pk] = _Read(version, _read_after(version, kept))
        if len(kept) > _KEPT:
            del kept[next(iter(kept))]
        yield version, read.outcome


def delete_unneeded_states(*, campaign_id: int) -> None:
    """Delete the campaign's versions that no take stands on and that none which stays is read from.

    Two statements, however many there are. Rows of a chain refer to one another, so they go all at once.
    """
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_PARENTS, {"campaign": campaign_id})
        cursor.execute(_DELETE, {"campaign": campaign_id})


def _difference(canonical: bytes, *, campaign_id: int, parent_id: int | None) -> _Stored | None:
    """The document as the difference from the base that it would have, if it can have one."""
    before = [] if parent_id is None else load_chain(parent_id)
    if not before or before[0].campaign_id != campaign_id:
        return None
    chain = chain_after(before[0].chain)
    rows = [version for version in before if version.chain <= chain & (chain - 1)]
    if not rows or chain > _LAST_CHAIN:
        return None
    try:
        base = read_chain(rows)
        packed = pack(canonical_json(make_patch(base, json.loads(canonical))))
        # Held against the bytes before anything stands on it.
        if canonical_json(apply_patch(base, json.loads(unpack(packed)))) != canonical:
            return None
    except (ValueError, RecursionError):
        # What is damaged is not built on, and what is nested too deeply to be compared is kept whole.
        return None
    return _Stored(packed, base_id=rows[0].pk, chain=chain)


def _shorter(difference: _Stored | None, canonical: bytes) -> _Stored:
    """The difference if it is clearly shorter, else the whole document."""
    if difference and len(difference.packed) * _SURELY_SHORTER <= len(canonical):
        return difference
    whole = _Stored(pack(canonical))
    return difference if difference and len(difference.packed) * 2 <= len(whole.packed) else whole


def _loaded_base(version: StateVersion) -> StateVersion | None:
    """The base that was loaded with the version, if it was and can be its base."""
    base = version.base if StateVersion.base.is_cached(version) else None
    return base if base is not None and base.chain < version.chain else None


def _read_after(version: StateVersion, kept: dict[int, _Read]) -> dict[str, object] | DamagedStateError:
    base = None if version.base_id is None else kept.get(version.base_id)
    try:
        if base is None:
            return read_document(version)
        _keep_chain(base, kept)
        if isinstance(base.outcome, DamagedStateError):
            return base.outcome
        return read_on_base(version, base.version, base.outcome)
    except DamagedStateError as error:
        return error


def _keep_chain(read: _Read, kept: dict[int, _Read]) -> None:
    """What was used last, with all that it is based on, is the last to go."""
    used: _Read | None = read
    for _ in range(MOST_ROWS):
        if used is None:
            return
        kept[used.version.pk] = kept.pop(used.version.pk)
        used = kept.get(used.version.base_id or 0)
