"""Narration as HTML: paragraphs, *emphasis*, **strong** and scene breaks. All else is escaped text.

static/js/campaigns/story_text.js shows the same while a narration streams.
"""

import re

from django import template
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()

_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n\s*")
_SCENE_BREAK = re.compile(r"(\*[^\S\n]*){3,}|(-[^\S\n]*){3,}")
# A run between two marks holds no mark itself: a hostile text of nothing but marks is read in one pass.
_MARKED = re.compile(r"\*\*(?!\s)([^*\n]++)(?<!\s)\*\*|\*(?!\s)([^*\n]++)(?<!\s)\*")


@register.filter
def story(text: str) -> SafeString:
    """The narration's paragraphs and scene breaks."""
    blocks = _PARAGRAPH_END.split(text.strip())
    return format_html_join("\n", "{}", ((_block(block.strip()),) for block in blocks if block.strip()))


def _block(text: str) -> SafeString:
    if _SCENE_BREAK.fullmatch(text):
        return format_html('<hr class="{}">', "scene-break")
    lines = format_html_join(format_html("<{}>", "br"), "{}", ((_inline(line),) for line in text.split("\n")))
    return format_html("<p>{}</p>", lines)


def _inline(line: str) -> SafeString:
    return format_html_join("", "{}", ((part,) for part in _parts(line)))


def _parts(line: str) -> list[SafeString]:
    parts, end = [], 0
    for match in _MARKED.finditer(line):
        tag, words = ("strong", match[1]) if match[1] else ("em", match[2])
        parts += [escape(line[end : match.start()]), format_html("<{0}>{1}</{0}>", tag, words)]
        end = match.end()
    return [*parts, escape(line[end:])]
