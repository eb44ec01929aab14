"""System checks of the narrator's settings; they run before every command."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error

from narrative.inference.base import RefusedByPolicyError
from narrative.inference.policy import EndpointPolicy, check_written_address
from narrative.inference.trust import tls_context


def check_inference(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[CheckMessage]:
    """The list of allowed endpoints, the file of certificates, and the model server's address as far as it
    can be judged without asking for a name: a written IP address the policy refuses is an error."""
    try:
        policy = EndpointPolicy.from_entries(settings.ALLOWED_ENDPOINTS)
    except ValueError as error:
        return [Error(f"STORYTELLER_ALLOWED_ENDPOINTS cannot be used. {error}", id="narrative.E002")]
    try:
        check_written_address(settings.INFERENCE_URL, policy)
    except RefusedByPolicyError as error:
        return [Error(f"STORYTELLER_INFERENCE_URL cannot be used. {error.message}", id="narrative.E001")]
    try:
        tls_context(settings.CA_FILE)
    except OSError as error:
        return [
            Error(
                f"STORYTELLER_CA_FILE is no file of certificates in PEM form: {error}.", id="narrative.E003"
            )
        ]
    return []
