"""The memories that a scene could call for. The number of queries does not depend on how many there are."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import connection

from campaigns.models import Branch, Campaign
from campaigns.path import Path, Position
from narrative.models import Memory

# So many of those that share words with the scene are looked at, the best matches first...
MOST_CANDIDATES = 60
# ...out of so many that match on any line of the campaign.
_MOST_MATCHES = 600
# Beside them the weightiest of the newest turns: what happened lately may matter in other words.
_NEWEST_TURNS = 200
_MOST_WEIGHTY = 10

# The catalogue: no text is read before it is known which rows are looked at.
_MATCHES = """
SELECT found.rowid, memory.branch_id, memory.depth
FROM narrative_memory_terms AS found
JOIN narrative_memory AS memory ON memory.id = found.rowid
WHERE narrative_memory_terms MATCH %s AND memory.campaign_id = %s AND NOT memory.is_forgotten
ORDER BY bm25(narrative_memory_terms), found.rowid DESC
LIMIT %s
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that is looked at, with the stems that it is found by."""

    id: int
    text: str
    stems: tuple[str, ...]
    authority: str
    importance: int
    is_pinned: bool
    branch: int
    first_depth: int
    depth: int


def find_candidates(campaign: Campaign, end: Position, terms: Iterable[str]) -> list[Candidate]:
    """Eligible memories on the path to a position: those that share a term, the pinned ones, and the
    weightiest of the newest. Five queries at most."""
    path = Branch.objects.path_to(end) if end.depth >= 0 else Path(())
    ids = [*_pinned(campaign, path), *_weighty(path), *_matching(campaign, path, terms)]
    rows = Memory.objects.filter(pk__in=ids, is_forgotten=False).made_of_live_takes().order_by("pk")
    return [
        Candidate(
            id=row.pk,
            text=row.text,
            stems=tuple(row.terms.split()),
            authority=row.authority,
            importance=row.importance,
            is_pinned=row.is_pinned,
            branch=row.branch_id,
            first_depth=row.first_depth,
            depth=row.depth,
        )
        for row in rows
    ]


def _pinned(campaign: Campaign, path: Path) -> list[int]:
    pinned = Memory.objects.filter(campaign=campaign, is_pinned=True)
    rows = pinned.values_list("pk", "branch_id", "depth")
    return [pk for pk, branch, depth in rows if path.contains(Position(branch, depth))]


def _weighty(path: Path) -> list[int]:
    newest = path.between(path.depth - _NEWEST_TURNS, path.depth)
    rows = Memory.objects.on_path(newest).filter(is_forgotten=False).order_by("-importance", "-depth", "-pk")
    return list(rows.values_list("pk", flat=True)[:_MOST_WEIGHTY])


def _matching(campaign: Campaign, path: Path, terms: Iterable[str]) -> list[int]:
    # Every term is a string of its own: no word is ever syntax.
    query = " OR ".join(f'"{term}"' for term in terms if '"' not in term)
    if not query:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_MATCHES, [query, campaign.pk, _MOST_MATCHES])
        rows = cursor.fetchall()
    found = [pk for pk, branch, depth in rows if path.contains(Position(branch, depth))]
    return found[:MOST_CANDIDATES]
