"""How rows of the story are selected: by owner, and by path."""

from typing import TYPE_CHECKING, Self, TypeVar

from django.db import connection, models
from django.db.models.expressions import RawSQL

from campaigns.path import Path, Position, Segment

if TYPE_CHECKING:
    from campaigns.models import Branch, Campaign  # noqa: F401 - named in quotes below

_Row = TypeVar("_Row", bound=models.Model)

# A recursive walk instead of a join per branch: a story with 2,000 nested forks would pass SQLite's limits on
# joins and on expression depth. It stops at the floor, so that a window costs what the window holds.
_SEGMENTS = """
WITH RECURSIVE line(branch, parent, first, last) AS (
    SELECT id, parent_id, COALESCE(fork_depth, -1) + 1, %s
    FROM campaigns_branch WHERE id = %s
    UNION ALL
    SELECT above.id, above.parent_id, COALESCE(above.fork_depth, -1) + 1, MIN(line.last, line.first - 1)
    FROM line JOIN campaigns_branch above ON above.id = line.parent
    WHERE line.first > %s
)
SELECT branch, MAX(first, %s), last FROM line WHERE first <= last AND last >= %s ORDER BY first
"""

# CROSS JOIN keeps SQLite from turning the order round: the few segments lead, the index finds their rows.
_ON_PATH = """
SELECT story.id FROM json_each(%s) AS segment
CROSS JOIN {table} AS story
ON story.branch_id = json_extract(segment.value, '$[0]')
AND story.depth BETWEEN json_extract(segment.value, '$[1]') AND json_extract(segment.value, '$[2]')
"""


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def owned_by(self, owner_id: int | None) -> Self:
        """The one place where rows are scoped to their owner."""
        return self.filter(owner_id=owner_id) if owner_id is not None else self.none()


class BranchQuerySet(models.QuerySet["Branch"]):
    def path_to(self, position: Position, *, floor: int = 0) -> Path:
        """The path to a position, from depth ``floor`` on. One query, whatever the story's length."""
        with connection.cursor() as cursor:
            cursor.execute(_SEGMENTS, [position.depth, position.branch_id, floor, floor, floor])
            return Path(tuple(Segment(*row) for row in cursor.fetchall()))


class OnPathQuerySet(models.QuerySet[_Row]):
    """For rows that stand at a (branch, depth)."""

    def on_path(self, path: Path) -> Self:
        """The one clause that reads a path."""
        table = connection.ops.quote_name(self.model._meta.db_table)
        return self.filter(pk__in=RawSQL(_ON_PATH.format(table=table), [path.as_json()]))  # noqa: S611 - our table


# From each campaign's head up to the branch that owns the turn at the wanted depth. Only that branch has a
# turn there, since a branch's own turns lie deeper than its fork.
OWNERS_AT = """
WITH RECURSIVE line(branch, depth) AS (
    SELECT active_branch_id, {depth} FROM campaigns_campaign WHERE id IN (SELECT value FROM json_each(%s))
    UNION ALL
    SELECT above.parent_id, line.depth FROM line JOIN campaigns_branch above ON above.id = line.branch
    WHERE above.fork_depth >= line.depth
)
SELECT story.id FROM line CROSS JOIN campaigns_turn AS story
ON story.branch_id = line.branch AND story.depth = line.depth
"""
