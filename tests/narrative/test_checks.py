"""The narrator's system checks: what stops the start."""

import pytest
from django.core.checks import run_checks
from pytest_django import Settings

from narrative.checks import check_inference


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434",
        "http://127.8.8.8",
        "http://[::1]:5001/v1",
        "http://[::ffff:127.0.0.1]",
        "http://localhost:8080",
        # What a name leads to is judged at every connection.
        "http://models.example",
        "http://2130706433",
    ],
)
def test_an_address_that_may_be_used(settings: Settings, url: str) -> None:
    settings.INFERENCE_URL = url
    assert check_inference(None) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://192.168.1.4:11434",
        "https://8.8.8.8",
        "http://169.254.169.254",
        "http://0.0.0.0:11434",
        "http://[2001:db8::1]",
        "http://[::ffff:8.8.8.8]",
        "http://8.8.8.8.",
        "ftp://127.0.0.1",
    ],
)
def test_an_address_that_may_not_is_an_error_at_the_start(settings: Settings, url: str) -> None:
    settings.INFERENCE_URL = url
    [error] = [message for message in run_checks() if message.id == "narrative.E001"]
    assert error.is_serious()
    assert "STORYTELLER_INFERENCE_URL" in error.msg
