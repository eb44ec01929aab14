"""A turn without its model: what the game does before the first token is asked for, and after the last."""

import itertools
import json

from campaigns.models import Take, TurnRequest
from campaigns.services import requests
from campaigns.services.requests import Submission
from narrative.inference.base import Finished
from narrative.models import Proposal
from narrative.state.extraction import Separated
from narrative.state_records import Proposed
from narrative.turns import Reply, commit_turn, prepare_turn
from storyteller.bench import prose
from storyteller.bench.samples import timed

_NARRATION = prose.narrator(0)(0)
_REPLY = Reply(
    text=_NARRATION, reasoning="", finished=Finished("stop"), separated=Separated(_NARRATION, None, None)
)
_number = itertools.count()


def _proposed() -> Proposed:
    """What a turn of a story usually changes: the scene, and something that is established."""
    number = next(_number)
    events = [
        {"type": "set_scene", "mood": f"hushed {number}"},
        {"type": "add_fact", "predicate": "steps counted", "value": number},
    ]
    return Proposed(
        way=Take.ProposalWay.CALL,
        source=Proposal.Source.ACCEPTED_STORY,
        parsed={"events": events},
        raw=(json.dumps({"events": events}),),
    )


def tell_turn(campaign_id: int) -> float:
    """A turn at the head, in milliseconds: submitted to prompt stored, and last token to committed."""
    submission = Submission(kind=TurnRequest.Kind.NEW, mode="action", text="I hold up the lantern and wait.")

    def tell() -> None:
        request = requests.open_request(campaign_id=campaign_id, submission=submission).request
        commit_turn(request.pk, prepare_turn(request.pk), _REPLY, _proposed())

    return timed(tell)
