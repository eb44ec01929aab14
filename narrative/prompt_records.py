"""Prompt records as they are stored: complete for ever, and small.

Prompts of one story repeat each other: the rules, and turn after turn of the history. A record keeps its
own part, and its longer texts by reference to ``PromptText`` rows, which belong to the records alone: nothing
that happens to the story changes or removes them while a record holds them. What was stored is put together
again exactly; a text that would not come out as it was is stored in full.
"""

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from campaigns.models import TurnRequest
from narrative.models import PromptRecord, PromptText

_JOIN = "\n\n"
# Different every turn, so that a row of their own would save nothing.
_OWN = frozenset(("memories", "narrative_state", "state_refusals"))
# Below so many characters a reference costs as much as the text.
_SHORT = 40

_REF = "ref"  # a PromptText's id
_OF_SECTIONS = "of_sections"  # the sections from one index up to another, joined
_OF_MESSAGES = "of_messages"


def store_record(document: Mapping[str, Any], *, request: TurnRequest) -> PromptRecord:
    """Store the record of a submission's prompt. Three queries, however long the prompt."""
    packed = _pack(document)
    texts = sorted({each[_REF] for each in _references(packed)})
    ids = _store_texts(request.campaign_id, texts)
    for each in _references(packed):
        each[_REF] = ids[each[_REF]]
    return PromptRecord.objects.create(request=request, document=_compress(_dump(packed)))


def read_record(record: PromptRecord) -> dict[str, Any]:
    """The document of a record, as it was stored. One query. Raises ValueError where it is damaged."""
    packed: dict[str, Any] = json.loads(_expand(record.document))
    wanted = {each[_REF] for each in _references(packed)}
    texts = {
        pk: _expand(body).decode()
        for pk, body in PromptText.objects.filter(pk__in=wanted).values_list("pk", "body")
    }
    if missing := wanted - texts.keys():
        raise ValueError(f"Prompt record {record.pk} has lost its texts {sorted(missing)}.")
    return _unpack(packed, lambda pk: texts[pk])


def records_of(campaign_id: int) -> QuerySet[PromptRecord]:
    """Every prompt record of a campaign."""
    return PromptRecord.objects.filter(
        Q(request__campaign=campaign_id) | Q(take__turn__branch__campaign=campaign_id)
    )


def sweep_texts(campaign_id: int) -> int:
    """Delete the texts that no record of a campaign holds any more, after a delete. Returns how many."""
    held: set[int] = set()
    for document in records_of(campaign_id).values_list("document", flat=True).iterator():
        held.update(each[_REF] for each in _references(json.loads(_expand(document))))
    stored = PromptText.objects.filter(campaign=campaign_id)
    loose = set(stored.values_list("pk", flat=True)) - held
    PromptText.objects.filter(pk__in=loose).delete()
    return len(loose)


def _store_texts(campaign_id: int, texts: list[str]) -> dict[str, int]:
    """The ids of texts, stored now where they were not."""
    digests = {_digest(text): text for text in texts}
    stored = PromptText.objects.filter(campaign=campaign_id, digest__in=list(digests))
    known = {bytes(digest): pk for pk, digest in stored.values_list("pk", "digest")}
    fresh = [
        PromptText(campaign_id=campaign_id, digest=digest, body=_compress(text.encode()))
        for digest, text in digests.items()
        if digest not in known
    ]
    known |= {bytes(row.digest): row.pk for row in PromptText.objects.bulk_create(fresh)}
    return {text: known[digest] for digest, text in digests.items()}


def _pack(document: Mapping[str, Any]) -> dict[str, Any]:
    sections, messages = document["sections"], document["messages"]
    contents = [message["content"] for message in messages]
    packed = [
        {**section, "text": _packed_section(section["label"], section["text"], contents)}
        for section in sections
    ]
    # A section that is told by messages cannot tell one of them.
    texts = [
        None if _is_of(kept["text"], _OF_MESSAGES) else section["text"]
        for section, kept in zip(sections, packed, strict=True)
    ]
    return {
        **document,
        "sections": packed,
        "messages": [
            {**message, "content": _packed_message(message["content"], texts)} for message in messages
        ],
    }


def _packed_section(label: str, text: str, contents: list[str]) -> object:
    if label == "history" and text == _JOIN.join(contents[1:-1]):
        return {_OF_MESSAGES: [1, len(contents) - 1]}
    return text if label in _OWN else _shared(text)


def _packed_message(content: str, texts: list[str | None]) -> object:
    """The run of sections that a message is made of, or else its text."""
    for first, last in _edges(len(texts)):
        run = [text for text in texts[first:last] if text is not None]
        if len(run) == last - first and content == _JOIN.join(run):
            return {_OF_SECTIONS: [first, last]}
    return _shared(content)


def _edges(length: int) -> Iterator[tuple[int, int]]:
    """The first sections, and the last ones: what the system message and the player's are made of."""
    for at in range(1, length + 1):
        yield 0, at
        yield length - at, length


def _shared(text: str) -> object:
    return {_REF: text} if len(text) >= _SHORT else text


def _unpack(packed: dict[str, Any], text_of: Callable[[int], str]) -> dict[str, Any]:
    sections = [
        {**section, "text": _unshared(section["text"], text_of)} for section in packed.get("sections", [])
    ]
    messages = [
        {
            **message,
            "content": _joined(_unshared(message["content"], text_of), _OF_SECTIONS, sections, "text"),
        }
        for message in packed.get("messages", [])
    ]
    for section in sections:
        section["text"] = _joined(section["text"], _OF_MESSAGES, messages, "content")
    return {**packed, "sections": sections, "messages": messages}


def _unshared(text: Any, text_of: Callable[[int], str]) -> Any:
    return text_of(text[_REF]) if _is_of(text, _REF) else text


def _joined(text: Any, kind: str, rows: list[dict[str, Any]], member: str) -> Any:
    if not _is_of(text, kind):
        return text
    first, last = text[kind]
    return _JOIN.join(row[member] for row in rows[first:last])


def _references(packed: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    texts = [
        *(section["text"] for section in packed.get("sections", [])),
        *(message["content"] for message in packed.get("messages", [])),
    ]
    return [text for text in texts if _is_of(text, _REF)]


def _is_of(text: Any, kind: str) -> bool:
    """Whether a text is stored in this other way."""
    return isinstance(text, dict) and kind in text


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _compress(data: bytes) -> bytes:
    return zlib.compress(data, 9)


def _expand(data: bytes | memoryview) -> bytes:
    return zlib.decompress(data)
