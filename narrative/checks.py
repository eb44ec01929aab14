"""System checks of the narrator's settings; they run before every command."""

import ipaddress
from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error

from narrative.inference.base import RefusedByPolicyError
from narrative.inference.policy import check_addresses, parse_endpoint


def check_inference_url(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[CheckMessage]:
    """The model server's address, as far as it can be judged without asking for a name: a written IP address
    the policy refuses is an error. What a name leads to is judged at every connection."""
    try:
        host = parse_endpoint(settings.INFERENCE_URL).host
        if _is_ip_address(host):
            check_addresses(host, [host])
    except RefusedByPolicyError as error:
        return [Error(f"STORYTELLER_INFERENCE_URL cannot be used. {error.message}", id="narrative.E001")]
    return []


def _is_ip_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
