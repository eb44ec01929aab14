"""Placeholder by the lead until part C's version replaces it: keep the names store_record and read_record."""

import json
import zlib
from typing import Any

from campaigns.models import TurnRequest
from narrative.models import PromptRecord


def store_record(document: dict[str, Any], *, request: TurnRequest) -> PromptRecord:
    packed = zlib.compress(json.dumps(document, ensure_ascii=False).encode(), 6)
    return PromptRecord.objects.create(request=request, document=packed)


def read_record(record: PromptRecord) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(zlib.decompress(record.document))
    return document
