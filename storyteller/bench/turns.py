"""A turn without its model: what the game does before the first token is asked for, and after the last."""

from campaigns.models import TurnRequest
from campaigns.services import requests
from campaigns.services.requests import Submission
from narrative.inference.base import Finished
from narrative.turns import Reply, commit_turn, prepare_turn
from storyteller.bench import prose
from storyteller.bench.samples import timed

_REPLY = Reply(text=prose.narrator(0)(0), reasoning="", finished=Finished("stop"))


def tell_turn(campaign_id: int) -> float:
    """A turn at the head, in milliseconds: submitted to prompt stored, and last token to committed."""
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I hold up the lantern and wait.")

    def tell() -> None:
        request = requests.open_request(campaign_id=campaign_id, submission=submission).request
        commit_turn(request.pk, prepare_turn(request.pk), _REPLY)

    return timed(tell)
