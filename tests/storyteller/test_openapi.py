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


def test_every_refusal_is_documented_as_a_problem() -> None:
    document = json.loads(described())
    assert {"type", "title", "status", "code", "detail"} == set(
        document["components"]["schemas"]["ProblemOut"]["required"]
    )
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            refusals = {name: answer for name, answer in operation["responses"].items() if name >= "400"}
            assert ("401" in refusals) == ("security" in operation)
            assert ("404" in refusals) == ("{" in path)
            assert ("403" in refusals) == (method != "get" or "/settings" in path)  # those are for staff
            for answer in refusals.values():
                ((media_type, content),) = answer["content"].items()
                assert media_type == "application/problem+json"
                assert content["schema"] == {"$ref": "#/components/schemas/ProblemOut"}


def test_the_narrators_refusals_stand_where_it_is_asked() -> None:
    paths = json.loads(described())["paths"]
    told = {
        (method, path.removeprefix("/api/v1"))
        for path, methods in paths.items()
        for method, operation in methods.items()
        if {"502", "503"} & set(operation["responses"])
    }
    assert told == {
        ("get", "/settings/models"),
        ("post", "/openings"),
        ("post", "/campaigns/{campaign_id}/summaries"),
        ("post", "/campaigns/{campaign_id}/turns"),
        ("post", "/campaigns/{campaign_id}/turns/{turn_id}/retry"),
        ("put", "/campaigns/{campaign_id}/turns/{turn_id}/input"),
        ("post", "/requests/{request_id}/retry"),
    }
