"""Whether the stored stories still are what the rules say they are.

Each check asks one thing of the database and names what breaks it. Nothing is changed here. The statements
are set-based, with UNION where they walk branches, so that they end even where a branch descends from itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import connection

from campaigns import leases
from campaigns.models import StateVersion, TurnRequest
from campaigns.services.state_versions import DamagedStateError, read_documents

STATE_BATCH = 200


@dataclass(frozen=True, slots=True)
class Breach:
    """One thing that is not as it must be. The campaign is None where it concerns the whole database."""

    invariant: str
    campaign_id: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class Check:
    invariant: str
    what: str
    find: Callable[[int | None], Iterator[Breach]]


def _rows_check(invariant: str, what: str, sql: str) -> Check:
    """A check whose statement selects a campaign's id and a sentence for each breach."""

    def find(campaign_id: int | None) -> Iterator[Breach]:
        with connection.cursor() as cursor:
            cursor.execute(sql, {"campaign": campaign_id})
            for campaign, detail in cursor.fetchall():
                yield Breach(invariant, campaign, detail)

    return Check(invariant, what, find)


def _in_scope(column: str) -> str:
    return f"(%(campaign)s IS NULL OR {column} = %(campaign)s)"


_HEADS = f"""
WITH RECURSIVE line(campaign, branch, depth) AS (
    SELECT id, active_branch_id, head_depth FROM campaigns_campaign WHERE {_in_scope("id")}
    UNION
    SELECT line.campaign, above.parent_id, line.depth FROM line
    JOIN campaigns_branch above ON above.id = line.branch WHERE above.fork_depth >= line.depth
)
SELECT id, 'The head stands at turn ' || head_depth || ' of branch ' || COALESCE(active_branch_id, '(none)')
    || ', where its path has no turn.'
FROM campaigns_campaign WHERE {_in_scope("id")} AND id NOT IN (
    SELECT line.campaign FROM line CROSS JOIN campaigns_turn story
    ON story.branch_id = line.branch AND story.depth = line.depth
)
UNION ALL
SELECT campaign.id, 'The head stands on branch ' || branch.id || ', which is campaign '
    || branch.campaign_id || '''s.'
FROM campaigns_campaign campaign JOIN campaigns_branch branch ON branch.id = campaign.active_branch_id
WHERE branch.campaign_id <> campaign.id AND {_in_scope("campaign.id")}
"""  # noqa: S608 - our own words

_TAKES_WITHOUT_STATE = f"""
SELECT branch.campaign_id, 'Take ' || take.id || ' of turn ' || take.turn_id
    || ' has no state version of its campaign.'
FROM campaigns_take take
JOIN campaigns_turn turn ON turn.id = take.turn_id
JOIN campaigns_branch branch ON branch.id = turn.branch_id
LEFT JOIN campaigns_stateversion state ON state.id = take.state_version_id
WHERE (state.id IS NULL OR state.campaign_id <> branch.campaign_id) AND {_in_scope("branch.campaign_id")}
"""  # noqa: S608 - our own words

_TURNS_COMMITTED_WHOLE = f"""
SELECT branch.campaign_id, 'Turn ' || turn.id || ' has no live take, so it was placed without its narration.'
FROM campaigns_turn turn JOIN campaigns_branch branch ON branch.id = turn.branch_id
WHERE turn.live_take_id IS NULL AND {_in_scope("branch.campaign_id")}
UNION ALL
SELECT campaign_id, 'Request ' || id || ' is accepted, but the turn or the take that it became is not there.'
FROM campaigns_turnrequest
WHERE status = 'accepted' AND (turn_id IS NULL OR take_id IS NULL) AND {_in_scope("campaign_id")}
"""  # noqa: S608 - our own words

_LIVE_TAKES = f"""
SELECT branch.campaign_id, 'The live take of turn ' || turn.id || ' is take ' || take.id
    || ', which belongs to turn ' || take.turn_id || '.'
FROM campaigns_turn turn
JOIN campaigns_take take ON take.id = turn.live_take_id
JOIN campaigns_branch branch ON branch.id = turn.branch_id
WHERE take.turn_id <> turn.id AND {_in_scope("branch.campaign_id")}
UNION ALL
SELECT branch.campaign_id, 'The live take of turn ' || turn.id || ' was told after turn ' || child.id
    || ', which continues another take.'
FROM campaigns_turn child
JOIN campaigns_turn turn ON turn.id = child.parent_id
JOIN campaigns_branch branch ON branch.id = turn.branch_id
WHERE turn.live_take_id > (SELECT MIN(take.id) FROM campaigns_take take WHERE take.turn_id = child.id)
AND {_in_scope("branch.campaign_id")}
"""  # noqa: S608 - our own words

_BRANCHES_JOIN = f"""
WITH RECURSIVE reached(id) AS (
    SELECT id FROM campaigns_branch WHERE parent_id IS NULL
    UNION
    SELECT below.id FROM reached JOIN campaigns_branch below ON below.parent_id = reached.id
)
SELECT campaign_id, 'Branch ' || id || ' does not descend from a first branch.'
FROM campaigns_branch WHERE id NOT IN (SELECT id FROM reached) AND {_in_scope("campaign_id")}
UNION ALL
SELECT branch.campaign_id, 'Branch ' || branch.id || ' forks from a branch of campaign '
    || parent.campaign_id || '.'
FROM campaigns_branch branch JOIN campaigns_branch parent ON parent.id = branch.parent_id
WHERE parent.campaign_id <> branch.campaign_id AND {_in_scope("branch.campaign_id")}
UNION ALL
SELECT branch.campaign_id, 'Branch ' || branch.id || ' forks at depth ' || branch.fork_depth
    || ' from branch ' || branch.parent_id || ', which has no turn there.'
FROM campaigns_branch branch
WHERE branch.fork_depth >= 0 AND {_in_scope("branch.campaign_id")} AND NOT EXISTS (
    SELECT 1 FROM campaigns_turn turn
    WHERE turn.branch_id = branch.parent_id AND turn.depth = branch.fork_depth
)
"""  # noqa: S608 - our own words

# A turn's parent is the one before it on its own branch, or the fork's turn on the parent branch.
_TURNS_FOLLOW = f"""
SELECT branch.campaign_id, 'Branch ' || branch.id || ' owns ' || COUNT(*) || ' turns from depth '
    || MIN(turn.depth)
    || ' to ' || MAX(turn.depth) || ', but they must begin at ' || (COALESCE(branch.fork_depth, -1) + 1)
    || ' and leave no gap.'
FROM campaigns_turn turn JOIN campaigns_branch branch ON branch.id = turn.branch_id
WHERE {_in_scope("branch.campaign_id")}
GROUP BY branch.id
HAVING MIN(turn.depth) <> COALESCE(branch.fork_depth, -1) + 1
OR COUNT(*) <> MAX(turn.depth) - MIN(turn.depth) + 1
UNION ALL
SELECT branch.campaign_id, 'Turn ' || turn.id || ' at depth ' || turn.depth || ' of branch ' || branch.id
    || ' follows turn ' || COALESCE(turn.parent_id, '(none)')
    || ', which is not the one before it on its path.'
FROM campaigns_turn turn
JOIN campaigns_branch branch ON branch.id = turn.branch_id
LEFT JOIN campaigns_turn parent ON parent.id = turn.parent_id
WHERE {_in_scope("branch.campaign_id")} AND turn.depth > 0 AND (
    parent.id IS NULL OR parent.depth <> turn.depth - 1 OR parent.branch_id <> CASE
        WHEN turn.depth = COALESCE(branch.fork_depth, -1) + 1 THEN branch.parent_id ELSE branch.id END
)
"""  # noqa: S608 - our own words

_SAVE_POINTS = f"""
SELECT save_point.campaign_id, 'Save Point ' || save_point.id || ' names turn ' || save_point.depth
    || ' of branch ' || save_point.branch_id || ', which owns no such turn in this campaign.'
FROM campaigns_savepoint save_point
WHERE {_in_scope("save_point.campaign_id")} AND NOT EXISTS (
    SELECT 1 FROM campaigns_turn turn JOIN campaigns_branch branch ON branch.id = turn.branch_id
    WHERE turn.branch_id = save_point.branch_id AND turn.depth = save_point.depth
    AND branch.campaign_id = save_point.campaign_id
)
"""  # noqa: S608 - our own words


_TAKES_ABOVE = """
WITH RECURSIVE above(id) AS (
    SELECT %s
    UNION
    SELECT state.id FROM above JOIN campaigns_stateversion state ON state.base_id = above.id
)
SELECT COUNT(*) FROM campaigns_take WHERE state_version_id IN (SELECT id FROM above)
"""


def _find_unreadable_states(campaign_id: int | None) -> Iterator[Breach]:
    """Every version is tried, whatever the one before it was like. One that cannot be read for another's
    damage is counted there."""
    versions = StateVersion.objects.order_by("campaign_id", "pk")
    if campaign_id is not None:
        versions = versions.filter(campaign_id=campaign_id)
    for version, outcome in read_documents(versions.iterator(chunk_size=STATE_BATCH)):
        if isinstance(outcome, DamagedStateError) and outcome.version_id == version.pk:
            detail = f"{outcome} Takes that stand on it: {_takes_above(version)}."
            yield Breach("I2", version.campaign_id, detail)


def _takes_above(version: StateVersion) -> int:
    """How many takes stand on a version, or on one that is read from it."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKES_ABOVE, [version.pk])
        (count,) = cursor.fetchone()
    return int(count)


def _find_abandoned_requests(campaign_id: int | None) -> Iterator[Breach]:
    running = TurnRequest.objects.filter(status__in=TurnRequest.RUNNING).order_by("pk")
    if campaign_id is not None:
        running = running.filter(campaign_id=campaign_id)
    for request in running.only("pk", "campaign", "holder"):
        if not leases.is_alive(request.holder):
            yield Breach(
                "I3",
                request.campaign_id,
                f"Request {request.pk} is marked as running, but its process is gone. The next start of the "
                "program, or the next look at this campaign, marks it as interrupted and offers its text.",
            )


def _find_damage(campaign_id: int | None) -> Iterator[Breach]:
    """The file is one, so this looks at all of it, whichever campaign was asked for."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA integrity_check")
        for (message,) in cursor.fetchall():
            if message != "ok":
                yield Breach("database", None, f"SQLite reports: {message}")
        cursor.execute("PRAGMA foreign_key_check")
        for table, row, parent, _ in cursor.fetchall():
            yield Breach(
                "database", None, f"Row {row} of {table} refers to a row of {parent} that is not there."
            )


CHECKS: tuple[Check, ...] = (
    Check("database", "the file is whole and its references lead somewhere", _find_damage),
    _rows_check("I1", "the head stands on a turn of its path", _HEADS),
    _rows_check("I2", "every take has a state version of its campaign", _TAKES_WITHOUT_STATE),
    Check("I2", "every state version unpacks and is what was hashed", _find_unreadable_states),
    _rows_check("I3", "turns and accepted requests are there whole", _TURNS_COMMITTED_WHOLE),
    Check("I3", "a running request has a process that lives", _find_abandoned_requests),
    _rows_check("I4", "a live take is its turn's own, and what continues was told after it", _LIVE_TAKES),
    _rows_check("I5", "branches fork from turns of their parents, down from a first branch", _BRANCHES_JOIN),
    _rows_check("I5", "turns follow one another on their path without a gap", _TURNS_FOLLOW),
    _rows_check("Save Points", "a Save Point names a turn that its branch owns", _SAVE_POINTS),
)
