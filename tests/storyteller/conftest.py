"""Fixtures for the door: nobody starts a test with failed attempts behind them."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache

from storyteller import access


@pytest.fixture(autouse=True)
def _no_failures_remembered() -> None:
    cache.clear()


@pytest.fixture
def keeper(db: None) -> User:
    """The owner as the game itself makes them."""
    return access.ensure_owner()
