"""Whether what is remembered was made of the line that it stands on and of nothing else; and mending that."""

from collections.abc import Iterator

from campaigns.models import Branch, Campaign, Turn
from campaigns.verification import Breach, Check
from narrative.database import in_database
from narrative.derived.running import run_due
from narrative.models import Derived, Memory, Summary


def find_misplaced(campaign_id: int | None) -> Iterator[Breach]:
    """Rows whose takes are of other turns than those of their stretch, and summaries that go on from one
    that is not on their path."""
    for row in _rows(campaign_id):
        if detail := _fault_of(row):
            yield Breach("I6", row.campaign_id, f"{_name_of(row)} {detail}")


async def repair(campaign_id: int | None) -> list[str]:
    """Delete the rows that are not as they must be, and make again what is due. The story stays as it is.
    Returns what was done, a sentence each."""
    done = await in_database(_delete_misplaced)(campaign_id)
    for pk in await in_database(_campaign_ids)(campaign_id):
        before = await in_database(_count)(pk)
        await run_due(pk)
        if more := await in_database(_count)(pk) - before:
            done.append(f"campaign {pk}: wrote {more} memories and summaries that were due.")
    return done


def _fault_of(row: Derived) -> str:
    path = Branch.objects.path_to(row.anchor)
    if not row.is_typed:
        told = dict(
            Turn.objects.on_path(path.between(row.first_depth, row.depth))
            .filter(takes__in=row.takes)
            .values_list("takes", "depth")
        )
        if gone := [take for take in row.takes if take not in told]:
            return f"is made of takes that its stretch does not have: {gone}."
    before = row.goes_on_from if isinstance(row, Summary) else None
    if before is not None and not path.contains(before.anchor):
        return f"goes on from summary {before.pk}, which stands on another line."
    return ""


def _name_of(row: Derived) -> str:
    return f"{row._meta.verbose_name} {row.pk}".capitalize()


def _rows(campaign_id: int | None) -> Iterator[Derived]:
    for rows in (
        Memory.objects.order_by("pk"),
        Summary.objects.select_related("goes_on_from").order_by("pk"),
    ):
        wanted = rows if campaign_id is None else rows.filter(campaign=campaign_id)
        yield from wanted.iterator(chunk_size=200)


def _delete_misplaced(campaign_id: int | None) -> list[str]:
    done = []
    for row in list(_rows(campaign_id)):
        if detail := _fault_of(row):
            done.append(f"campaign {row.campaign_id}: deleted {_name_of(row).lower()}, which {detail}")
            row.delete()
    return done


def _campaign_ids(campaign_id: int | None) -> list[int]:
    campaigns = Campaign.objects.order_by("pk")
    wanted = campaigns if campaign_id is None else campaigns.filter(pk=campaign_id)
    return list(wanted.values_list("pk", flat=True))


def _count(campaign_id: int) -> int:
    return (
        Memory.objects.filter(campaign=campaign_id).count()
        + Summary.objects.filter(campaign=campaign_id).count()
    )


CHECKS = (Check("I6", "what is remembered was made of the line that it stands on", find_misplaced),)
