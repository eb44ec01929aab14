"""Narration as HTML: a tiny subset, and everything else as text."""

import time

import pytest
from django.utils.safestring import SafeString

from campaigns.templatetags.story_text import story


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("One.\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"),
        ("One.\n \t\n\n\nTwo.", "<p>One.</p>\n<p>Two.</p>"),
        ("One,\ntwo.", "<p>One,<br>two.</p>"),
        ("It is *very* **late**.", "<p>It is <em>very</em> <strong>late</strong>.</p>"),
        (
            "One.\n\n***\n\nTwo.\n\n- - -",
            '<p>One.</p>\n<hr class="scene-break">\n<p>Two.</p>\n<hr class="scene-break">',
        ),
        ("2 * 3 * 4 and a lone *", "<p>2 * 3 * 4 and a lone *</p>"),
        ("*not\nacross lines*", "<p>*not<br>across lines*</p>"),
        ("", ""),
        (" \n\n ", ""),
    ],
)
def test_the_subset(text: str, html: str) -> None:
    assert story(text) == html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "*<img src=x onerror=alert(1)>*",
        "**</strong><b onclick='x'>**",
        "<br>\n<hr>",
        "&lt;script&gt;",
        "[a](javascript:alert(1))",
    ],
)
def test_markup_stays_text(text: str) -> None:
    shown = story(text)
    assert isinstance(shown, SafeString)
    left = str(shown)
    for tag in ("<p>", "</p>", "<em>", "</em>", "<strong>", "</strong>", "<br>"):
        left = left.replace(tag, "")
    assert "<" not in left
    assert ">" not in left


@pytest.mark.parametrize(
    "text", ["*a " * 30_000, "**a" * 30_000, "\n " * 50_000, "* " * 50_000, "***" * 30_000]
)
def test_a_hostile_text_is_read_in_one_pass(text: str) -> None:
    began = time.monotonic()
    story(text)
    assert time.monotonic() - began < 2
