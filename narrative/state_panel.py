"""The State panel: what holds where the story is read, to correct in place, and how it came to be so.

It is one panel with five views, each with an address of its own: what holds now, the history of one row, why
a turn changed what it changed, what changed lately, and what holds otherwise than at another turn.
"""

from dataclasses import dataclass, field

from django.http import HttpRequest, QueryDict

from campaigns.errors import NotFoundError
from campaigns.models import Campaign, Turn
from campaigns.path import Position
from campaigns.selectors import SavePointRow, get_turn_at, list_save_points
from campaigns.views.answers import read_number
from narrative.models import Proposal
from narrative.state.compared import ContrastGroup, contrast_groups
from narrative.state.document import Document
from narrative.state.earlier import Step, read_step
from narrative.state.groups import Row, group_state
from narrative.state.keys import folded_label
from narrative.state_additions import KINDS, read_form
from narrative.state_forms import CorrectionForm, RowRef, read_ref
from narrative.state_history import EventFilter, EventRow, StateAt, compare_turns, list_events, read_state_at
from narrative.state_row_forms import STATUSES
from narrative.state_why import Why, read_why

CHANGES_SHOWN = 40
_SAVE_POINTS_SHOWN = 12
_TIES_READ = 400
_MARKS = {"manual_correction": "your correction", "campaign_canon": "canon"}
_HOLDING = ("set_possession", "clear_possession")
_TYING = ("add_relationship", "end_relationship")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """``form`` is there where this row is being corrected; ``is_landing``: the keyboard goes here."""

    row: Row
    ref: RowRef
    mark: str
    form: CorrectionForm | None
    is_landing: bool

    @property
    def id(self) -> str:
        return f"row-{self.ref.kind}-{self.ref.key}"

    @property
    def can_be_wrong(self) -> bool:
        return self.row.kind == "fact" and self.row.status in ("active", "disputed")


@dataclass(frozen=True, slots=True)
class ShownGroup:
    title: str
    rows: list[ShownRow]


@dataclass(frozen=True, slots=True)
class Change:
    """One change, as it was said when it was made, with what held before."""

    row: EventRow
    step: Step
    source: str


@dataclass(frozen=True, slots=True)
class History:
    """The newest changes of one row."""

    ref: RowRef
    title: str
    changes: list[Change]


@dataclass(frozen=True, slots=True)
class Comparison:
    """``asked`` is the number that was typed; without ``groups`` it led nowhere, or nothing was asked yet."""

    asked: str = ""
    wrong: str = ""
    turn: Turn | None = None
    groups: tuple[ContrastGroup, ...] = ()
    save_points: list[SavePointRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatePanel:
    """``view`` is now, why, history, changes or compare, and that one's part is filled in. ``gone`` says what
    was asked for and is not there."""

    view: str
    state: StateAt
    gone: str = ""
    groups: list[ShownGroup] = field(default_factory=list)
    form: CorrectionForm | None = None
    why: Why | None = None
    history: History | None = None
    changes: list[Change] = field(default_factory=list)
    comparison: Comparison | None = None
    statuses: tuple[str, ...] = STATUSES
    kinds: tuple[str, ...] = KINDS

    @property
    def has_scene(self) -> bool:
        return any(row.row.kind == "scene" for group in self.groups for row in group.rows)


def read_state_panel(request: HttpRequest, campaign: Campaign) -> StatePanel:
    """The view that the address asks for. What it names and is not there is said, and what holds is shown.
    The number of queries does not depend on how much the state holds."""
    query, state = request.GET, read_state_at(campaign)
    try:
        return _asked_view(query, campaign, state) or _now(query, state)
    except NotFoundError as error:
        return _now(query, state, gone=error.message)


def _asked_view(query: QueryDict, campaign: Campaign, state: StateAt) -> StatePanel | None:
    if "why" in query:
        turn_id = read_number(query.get("why"), otherwise=0) or 0
        return StatePanel(view="why", state=state, why=read_why(campaign, state, turn_id))
    if "history" in query:
        history = _history(campaign, state.document, read_ref(query.get("history")))
        return StatePanel(view="history", state=state, history=history)
    if "changes" in query:
        rows = list_events(campaign, EventFilter(is_on_path=True), limit=CHANGES_SHOWN)
        return StatePanel(view="changes", state=state, changes=_changes(state.document, rows))
    if "compare" in query:
        comparison = _compare(campaign, state, query.get("compare", ""))
        return StatePanel(view="compare", state=state, comparison=comparison)
    return None


# --- what holds now ----------------------------------------------------------------------------------------


def _now(query: QueryDict, state: StateAt, *, gone: str = "") -> StatePanel:
    ref, landing = read_ref(query.get("correct")), query.get("at", "")
    form = read_form(state.document, ref) if ref is not None else None
    groups = [
        ShownGroup(group.title, [_shown(row, form, landing) for row in group.rows])
        for group in group_state(state.document)
    ]
    is_in_a_row = any(row.form for group in groups for row in group.rows)
    if ref is not None and form is None:
        gone = gone or "What you wanted to correct is not in the state any more."
    return StatePanel(view="now", state=state, gone=gone, groups=groups, form=None if is_in_a_row else form)


def _shown(row: Row, form: CorrectionForm | None, landing: str) -> ShownRow:
    ref = RowRef(row.kind, row.key)
    is_corrected = form is not None and form.row == ref
    mark = _MARKS.get(row.authority or "", "")
    return ShownRow(row, ref, mark, form if is_corrected else None, is_landing=str(ref) == landing)


# --- how it came to be so ----------------------------------------------------------------------------------


def _changes(document: Document, rows: list[EventRow]) -> list[Change]:
    return [
        Change(
            row=row,
            step=read_step(document, row.event.type, row.event.payload, row.event.before),
            source=Proposal.Source(row.event.proposal.source).label.lower(),
        )
        for row in rows
    ]


def _history(campaign: Campaign, document: Document, ref: RowRef | None) -> History:
    rows = [row for group in group_state(document) for row in group.rows]
    row = next((row for row in rows if ref == RowRef(row.kind, row.key)), None)
    if ref is None or row is None:
        raise NotFoundError("That is not in the state where you are reading.")
    changes = _changes(document, _events_of(campaign, document, ref))
    return History(ref, "The scene" if ref.kind == "scene" else row.title, changes)


def _events_of(campaign: Campaign, document: Document, ref: RowRef) -> list[EventRow]:
    match ref.kind:
        case "scene":
            wanted = EventFilter(types=("set_scene",))
        case "fact":
            wanted = EventFilter(fact=ref.key)
        case "thread":
            wanted = EventFilter(thread=ref.key)
        case "possession":
            wanted = EventFilter(entity=ref.key, types=_HOLDING)
        case "relationship":
            return _events_of_tie(campaign, document, ref.key)
        case _:
            wanted = EventFilter(entity=ref.key)
    return list_events(campaign, wanted, limit=CHANGES_SHOWN)


def _events_of_tie(campaign: Campaign, document: Document, tie_id: str) -> list[EventRow]:
    """A relationship has no key of its own in its events: it is who stands how to whom."""
    tie = next(each for each in document.relationships if each.id == tie_id)
    rows = list_events(campaign, EventFilter(entity=tie.source, types=_TYING), limit=_TIES_READ)
    return [
        row
        for row in rows
        if (row.event.payload["source"], row.event.payload["target"]) == (tie.source, tie.target)
        and folded_label(row.event.payload["relationship"]) == folded_label(tie.type)
    ][:CHANGES_SHOWN]


# --- compared ----------------------------------------------------------------------------------------------


def _compare(campaign: Campaign, state: StateAt, asked: str) -> Comparison:
    """``asked`` is the number of a turn of this line, or ``branch.depth``."""
    save_points = list_save_points(campaign, limit=_SAVE_POINTS_SHOWN)
    if not asked.strip():
        return Comparison(save_points=save_points)
    try:
        turn = get_turn_at(campaign, _place(campaign, asked.strip()))
    except NotFoundError:
        wrong = f"There is no turn {asked[:20]} on this line. You are reading turn {state.turn.depth}."
        return Comparison(asked=asked, wrong=wrong, save_points=save_points)
    one, other, differences = compare_turns(campaign, from_id=turn.pk, to_id=state.turn.pk)
    groups = contrast_groups(differences, one.document, other.document)
    return Comparison(asked=str(turn.depth), turn=turn, groups=groups, save_points=save_points)


def _place(campaign: Campaign, asked: str) -> Position:
    branch, dot, depth = asked.rpartition(".")
    ids = read_number(branch, otherwise=campaign.head.branch_id if not dot else None), read_number(depth)
    if ids[0] is None or ids[1] is None:
        raise NotFoundError("There is no such turn.")
    return Position(ids[0], ids[1])
