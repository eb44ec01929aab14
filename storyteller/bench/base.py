"""What a row is, how large a run is, and what rows share."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.contrib.auth.models import User

from campaigns.models import Campaign
from campaigns.services import head
from storyteller.bench import prose
from storyteller.bench.comparisons import Comparison
from storyteller.bench.stories import make_nested_story, make_straight_story


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How large the campaigns of a run are, and how often a thing is measured."""

    short: int
    long: int
    forks: int
    tokens: int
    repeats: int
    # Of what takes seconds each.
    slow_repeats: int


FULL = Sizes(short=100, long=10_000, forks=2_000, tokens=4_000, repeats=200, slow_repeats=10)
QUICK = Sizes(short=100, long=2_000, forks=300, tokens=1_500, repeats=30, slow_repeats=3)


@dataclass(slots=True)
class Workshop:
    """The database of this run. A story that several rows read is stored once."""

    owner: User
    sizes: Sizes
    seed: int
    _straight: dict[int, Campaign] = field(default_factory=dict)

    def straight(self, turns: int) -> Campaign:
        """A story in one line, read at its end, wherever the rows before left it."""
        if turns not in self._straight:
            self._straight[turns] = self.new_story(turns)
        campaign = self._straight[turns]
        main = campaign.branches.order_by("pk").values_list("pk", flat=True)[0]
        head.activate_branch(campaign_id=campaign.pk, branch_id=main)
        campaign.refresh_from_db()
        return campaign

    def new_story(self, turns: int) -> Campaign:
        """A story in one line that no other row reads, so that anything may be told in it."""
        return make_straight_story(owner=self.owner, turns=turns, narrate=prose.narrator(self.seed))

    def nested(self, forks: int) -> Campaign:
        """A story read at the end of so many branches, each forked from the one before it."""
        return make_nested_story(
            owner=self.owner, forks=forks, is_read_at_end=True, narrate=prose.narrator(self.seed)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """``id`` is what ``--rows`` names it by; ``measure`` yields its lines as they are done."""

    id: str
    what: str
    measure: Callable[[Workshop], Iterable[Comparison]]
