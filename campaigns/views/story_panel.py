"""The Story panel: what the narrator is told of a story, to change in place, and what it was before."""

import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from campaigns.errors import InvalidError, NotFoundError, StoryError
from campaigns.forms.fields import list_suggestions
from campaigns.forms.story_sections import CANON_LINES, SECTIONS, SectionForm
from campaigns.models import Campaign, CampaignRevision
from campaigns.notices import Undo, give_notice
from campaigns.revisions import count_revisions, list_revision_ids, list_revisions, newest_revision_id
from campaigns.services.campaigns import update_campaign
from campaigns.services.revisions import bring_back
from campaigns.views.answers import answers_errors, back_to_story, form_again, own_campaign, read_number
from campaigns.word_diff import Piece, compare_words

VERSIONS_SHOWN = 20
_PAGE = "campaigns/story_section.html"


@dataclass(frozen=True, slots=True)
class Version:
    """One change, as words: what it was and what it became."""

    revision: CampaignRevision
    what: str
    pieces: list[Piece]


@dataclass(frozen=True, slots=True)
class Section:
    """``versions`` is None while they are not asked for; ``older`` leads on to those before them."""

    form: SectionForm
    base: str
    changed: int = 0
    versions: list[Version] | None = None
    older: int | None = None
    refused: str = ""
    is_overtaken: bool = False


@dataclass(frozen=True, slots=True)
class StoryPanel:
    sections: list[Section]
    suggestions: list[tuple[str, tuple[str, ...]]]


def read_story_panel(request: HttpRequest, campaign: Campaign) -> StoryPanel:
    """Every section; of the one that ``?versions=`` names its changes, before ``?older=``. Two queries."""
    counts = count_revisions(campaign)
    return StoryPanel(
        sections=[_section(request, campaign, form(campaign), counts) for form in SECTIONS.values()],
        suggestions=list_suggestions(),
    )


def _section(request: HttpRequest, campaign: Campaign, form: SectionForm, counts: dict[str, int]) -> Section:
    changed = sum(counts.get(column, 0) for column in form.columns)
    if request.GET.get("versions") != form.slug or not changed:
        return Section(form=form, base=form.mark, changed=changed)
    before = read_number(request.GET.get("older"))
    rows = list_revisions(campaign, fields=form.columns, before=before, limit=VERSIONS_SHOWN + 1)
    versions = [_version(form, row) for row in rows[:VERSIONS_SHOWN]]
    older = rows[VERSIONS_SHOWN - 1].pk if len(rows) > VERSIONS_SHOWN else None
    return Section(form=form, base=form.mark, changed=changed, versions=versions, older=older)


def _version(form: SectionForm, revision: CampaignRevision) -> Version:
    is_named = len(form.columns) > 1
    label = form[revision.field].label if is_named else ""
    return Version(
        revision=revision,
        what=str(label),
        pieces=compare_words(_as_text(revision.before), _as_text(revision.after)),
    )


def _as_text(value: Any) -> str:
    """A value that was changed, as the words in which it is edited."""
    if isinstance(value, dict):
        return "\n".join(filter(None, (_canon_text(name, part) for name, part in value.items())))
    return "\n".join(value) if isinstance(value, list) else str(value)


_CANON_HEADINGS = {
    "locked_facts": "Settled facts:\n",
    "locked_attributes": "Settled attributes:\n",
    "single_valued": "One at a time:\n",
}


def _canon_text(name: str, part: Any) -> str:
    if name == "rules":
        return "\n".join(part)
    for key, write in CANON_LINES.values():
        if name == key:
            return f"{_CANON_HEADINGS.get(key, '')}{write(part)}" if part else ""
    return f"{name}: {json.dumps(part, ensure_ascii=False)}"


@require_http_methods(["GET", "HEAD", "POST"])
@answers_errors
def edit_section(request: HttpRequest, campaign_id: int, section: str) -> HttpResponse:
    """One section, to write over. It holds from the next turn on."""
    campaign = own_campaign(request, campaign_id)
    if section not in SECTIONS:
        raise NotFoundError("There is no such section.")
    form = SECTIONS[section](campaign, request.POST or None)
    if request.method != "POST":
        return _section_page(request, campaign, Section(form=form, base=form.mark))
    if not form.is_valid():
        shown = Section(form=form, base=request.POST.get("base", ""))
        return _section_page(request, campaign, shown, status=422)
    if form.is_overtaken():
        shown = Section(form=form, base=form.mark, is_overtaken=True)
        return _section_page(request, campaign, shown, status=409)
    return _save(request, campaign, form)


def _section_page(
    request: HttpRequest, campaign: Campaign, section: Section, *, status: int = 200
) -> HttpResponse:
    return render(request, _PAGE, _context(campaign, section), status=status)


def _context(campaign: Campaign, section: Section) -> dict[str, Any]:
    return {"campaign": campaign, "section": section, "suggestions": list_suggestions()}


def _save(request: HttpRequest, campaign: Campaign, form: SectionForm) -> HttpResponse:
    newest = newest_revision_id(campaign)
    try:
        update_campaign(campaign_id=campaign.pk, changes=form.changes())
    except StoryError as error:
        if isinstance(error, InvalidError):
            form.blame(error)
        refused = "" if isinstance(error, InvalidError) else error.message
        section = Section(form=form, base=form.data.get("base", ""), refused=refused)
        return form_again(request, _PAGE, _context(campaign, section), error)
    _tell_saved(request, campaign, form, newest=newest)
    return back_to_story(request, campaign.pk)


def _tell_saved(request: HttpRequest, campaign: Campaign, form: SectionForm, *, newest: int) -> None:
    saved = list_revision_ids(campaign, after=newest, fields=form.columns)
    if saved:
        undo = _undo(campaign, saved)
        give_notice(request, "Saved. The narrator is told so from the next turn on.", undo=undo)
    elif form.slug == "title" and form.differing():
        give_notice(request, "The story has a new title.", undo=Undo(request.path, tuple(form.now.items())))


def _undo(campaign: Campaign, revision_ids: list[int]) -> Undo:
    return Undo(
        reverse("bring-back", args=[campaign.pk]), tuple(("revision", str(pk)) for pk in revision_ids)
    )


@require_POST
@answers_errors
def bring_back_versions(request: HttpRequest, campaign_id: int) -> HttpResponse:
    """Words of before, as a change of its own."""
    campaign = own_campaign(request, campaign_id)
    newest = newest_revision_id(campaign)
    ids = [read_number(text, otherwise=0) or 0 for text in request.POST.getlist("revision")]
    bring_back(campaign_id=campaign.pk, revision_ids=ids)
    made = list_revision_ids(campaign, after=newest)
    if made:
        give_notice(request, "The earlier words are back, from the next turn on.", undo=_undo(campaign, made))
    return back_to_story(request, campaign.pk)
