"""How far a model's server counts from the estimate: learnt from what its replies report."""

from narrative.inference.rehearsal import RehearsalBackend
from narrative.models import TokenRatio

# A reply counts for so much against all before it.
_WEIGHT = 0.25
# Outside of these a report is no count of this prompt: cut by the server, or only what it evaluated anew.
_LEAST, _MOST = 0.6, 4.0


def read_ratio(api: str, model: str) -> float:
    """Reported tokens for one that is estimated, to two places; 1 for a model that was not heard of yet."""
    found = TokenRatio.objects.filter(model=_key(api, model)).values_list("ratio", flat=True).first()
    return 1.0 if found is None else round(found, 2)


def learn_ratio(api: str, model: str, *, estimated: int, reported: int | None) -> None:
    """Take in what a server reported for a prompt that was estimated without a ratio. The embedded narrator
    reads no tokens and has none to report."""
    if not reported or not estimated or not _LEAST <= reported / estimated <= _MOST:
        return
    if api == RehearsalBackend.api:
        return
    ratio = reported / estimated
    row, is_new = TokenRatio.objects.get_or_create(
        model=_key(api, model), defaults={"ratio": ratio, "replies": 1}
    )
    if not is_new:
        row.ratio += _WEIGHT * (ratio - row.ratio)
        row.replies += 1
        row.save(update_fields=["ratio", "replies", "updated_at"])


def _key(api: str, model: str) -> str:
    return f"{api}:{model}"
