"""The documented API: what it says is kept in openapi.json, so that no change of the contract goes unseen.

Renew it with: STORYTELLER_TEST_RENEW=1 pytest tests/storyteller/test_openapi.py
"""

import json
import os
from pathlib import Path

from storyteller.api import api

SNAPSHOT = Path(__file__).parent / "openapi.json"
RENEW = "STORYTELLER_TEST_RENEW"


def described() -> str:
    return json.dumps(api.get_openapi_schema(path_prefix="/api/v1/"), indent=1, sort_keys=True) + "\n"


def test_the_contract_is_the_one_that_is_kept() -> None:
    if os.environ.get(RENEW):
        SNAPSHOT.write_text(described())
    assert described() == SNAPSHOT.read_text(), f"The API changed. If that is meant, run this with {RENEW}=1."


def test_every_operation_says_what_it_does_and_needs() -> None:
    paths = json.loads(described())["paths"]
    operations = [(path, operation) for path, methods in paths.items() for operation in methods.values()]
    assert operations
    for path, operation in operations:
        assert operation["tags"]
        assert ("security" in operation) == (path != "/api/v1/health")
