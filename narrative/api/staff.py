"""What only somebody who runs the game may do."""

from django.http import HttpRequest
from ninja.errors import HttpError


def require_staff(request: HttpRequest) -> None:
    """Refuse a caller who is no member of the staff. Authentication has put the caller onto the request."""
    caller = request.auth  # type: ignore[attr-defined]
    if not caller.is_staff:
        raise HttpError(403, "Only staff may do this.")
