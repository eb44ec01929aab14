"""What is sent in to have a turn told."""

from campaigns.schemas.base import Input


class RetryIn(Input):
    """``request_id`` is the caller's own name for this submission: sent again, it tells nothing twice."""

    request_id: str | None = None


class SubmissionIn(RetryIn):
    mode: str
    text: str = ""


class StopIn(Input):
    keep: bool = True
