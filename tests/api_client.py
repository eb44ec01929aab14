"""Calling the API over HTTP, as a program with a token does."""

import json
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from storyteller.access import create_token

PREFIX = "/api/v1"
# One for all tests, since each loads every middleware anew. With a token it keeps nothing between calls.
_CLIENT = Client()


class Api:
    """Whatever a user's token lets a program do. Addresses are given from ``/api/v1`` on."""

    def __init__(self, user: User) -> None:
        self.headers = bearer(user)

    def get(self, path: str, **query: Any) -> Any:
        return _CLIENT.get(f"{PREFIX}{path}", query, headers=self.headers)

    def follow(self, page: Any) -> Any:
        """The part of a list that comes after this one."""
        return _CLIENT.get(page["next"], headers=self.headers)

    def post(self, path: str, body: object = None) -> Any:
        return self.send("POST", path, body)

    def put(self, path: str, body: object) -> Any:
        return self.send("PUT", path, body)

    def patch(self, path: str, body: object) -> Any:
        return self.send("PATCH", path, body)

    def delete(self, path: str) -> Any:
        return self.send("DELETE", path)

    def send(self, method: str, path: str, body: object = None) -> Any:
        return self.send_raw(method, path, b"" if body is None else json.dumps(body).encode())

    def send_raw(self, method: str, path: str, body: bytes) -> Any:
        return _CLIENT.generic(method, f"{PREFIX}{path}", body, "application/json", headers=self.headers)


def bearer(user: User, name: str = "tests") -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(user, name)}"}


def json_of(response: Any, status: int = 200) -> Any:
    """The body of an answer that went well."""
    assert response.status_code == status, response.content
    return response.json()


def problem_of(response: Any, status: int, code: str) -> Any:
    """The problem document of a refusal."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    document = json.loads(response.content)
    assert document["status"] == status
    assert document["code"] == code
    assert document["title"]
    assert document["detail"]
    return document
