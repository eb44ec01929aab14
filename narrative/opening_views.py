"""Pages on which a story begins: the shelf and New campaign with their samples, and an opening narrated."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from campaigns.forms import NewCampaignForm
from campaigns.forms.new_campaign import OpeningBriefForm
from campaigns.views import shelf
from campaigns.views.shelf import SampleCard
from narrative.database import in_database
from narrative.errors import NarrativeError
from narrative.inference.base import InferenceError
from narrative.openings import narrate_opening
from narrative.samples import FIRST, Sample, list_samples


def campaigns_page(request: HttpRequest) -> HttpResponse:
    return shelf.shelf(request, sample_cards())


def new_campaign(request: HttpRequest) -> HttpResponse:
    return shelf.new(request, sample_cards())


@require_POST
async def narrate(request: HttpRequest) -> HttpResponse:
    """The form as it was posted, with an opening that a narrator wrote from it. Nothing is stored."""
    form = OpeningBriefForm(request.POST)
    if request.POST.get("put_back"):
        return await _page(request, form.with_opening(request.POST.get("earlier_opening", "")))
    if not form.is_valid():
        return await _page(request, form, status=422)
    try:
        text = await narrate_opening(
            profile=form.profile,
            protagonist_name=form.cleaned_data["protagonist_name"],
            protagonist_description=form.cleaned_data["protagonist_description"],
            canon=form.canon,
        )
    except (InferenceError, NarrativeError) as error:
        form.add_error("opening", f"No opening was narrated. {error.message}")
        return await _page(request, form, status=502 if isinstance(error, InferenceError) else 422)
    return await _page(request, form.with_opening(text))


async def _page(request: HttpRequest, form: NewCampaignForm, *, status: int = 200) -> HttpResponse:
    context = {"form": form, "samples": sample_cards()}
    return await in_database(render)(request, shelf.NEW, context, status=status)


def sample_cards() -> list[SampleCard]:
    """Every sample, the first one to play first."""
    samples = sorted(list_samples(), key=lambda sample: sample.slug != FIRST)
    return [_card(sample) for sample in samples]


def _card(sample: Sample) -> SampleCard:
    profile = sample.new.profile
    line = " · ".join(filter(None, (profile.get("subgenre") or profile.get("genre"), profile.get("tone"))))
    return SampleCard(slug=sample.slug, title=sample.new.title, line=line, hook=sample.hook)
