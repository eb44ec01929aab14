"""Storing state documents, compressed and shared by the hash of their content."""

import hashlib
import json
import zlib
from collections.abc import Mapping

from campaigns.models import StateVersion

EMPTY_DOCUMENT: Mapping[str, object] = {"version": 1}


def record_state_version(
    *, campaign_id: int, document: Mapping[str, object], parent_id: int | None
) -> StateVersion:
    """The campaign's version with this document, made if there is none yet. Call it inside a transaction."""
    canonical = canonical_json(document)
    version, _ = StateVersion.objects.get_or_create(
        campaign_id=campaign_id,
        content_hash=hashlib.sha256(canonical).hexdigest(),
        defaults={"parent_id": parent_id, "document": zlib.compress(canonical, 9)},
    )
    return version


def read_document(version: StateVersion) -> dict[str, object]:
    """The document of a version. Raises ValueError where the stored bytes are not what was hashed."""
    try:
        canonical = zlib.decompress(version.document)
    except zlib.error as error:
        raise ValueError(f"State version {version.pk} cannot be unpacked: {error}.") from error
    if hashlib.sha256(canonical).hexdigest() != version.content_hash:
        raise ValueError(f"State version {version.pk} does not match its hash.")
    document: dict[str, object] = json.loads(canonical)
    return document


def canonical_json(document: Mapping[str, object]) -> bytes:
    """One way of writing a document, so that equal documents have equal hashes."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
