"""Rules that hold for every template, script and theme."""

import re
from pathlib import Path

import pytest
from django.conf import settings

_ROOT = Path(settings.BASE_DIR)
_TEMPLATES = sorted((_ROOT / "templates").rglob("*.html"))
_SCRIPTS = [path for path in sorted((_ROOT / "static/js").rglob("*.js")) if "vendor" not in path.parts]
_SOURCES = [
    path
    for app in ("campaigns", "knowledge", "narrative", "storyteller")
    for path in sorted((_ROOT / app).rglob("*.py"))
]

# What a page may not hold: the Content-Security-Policy would refuse it, or it would let markup through.
INLINE = re.compile(
    r"<style|\sstyle\s*=|<script(?![^>]*\ssrc=)|\son[a-z]+\s*=\s*[\"']|javascript:", re.IGNORECASE
)


def _name(path: Path) -> str:
    return str(path.relative_to(_ROOT))


@pytest.mark.parametrize("path", _TEMPLATES, ids=_name)
def test_a_template_is_inert(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not INLINE.search(text)
    assert not re.search(r"\|\s*safe\b|autoescape off|https?://", text)


@pytest.mark.parametrize("path", _SCRIPTS, ids=_name)
def test_a_script_makes_no_markup_and_asks_no_other_origin(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
    )
    assert not re.search(r"https?://|\bimport\(", text)


def test_nothing_is_marked_safe_by_hand() -> None:
    assert [_name(path) for path in _SOURCES if "mark_safe" in path.read_text(encoding="utf-8")] == []


# --- contrast ----------------------------------------------------------------------------------------------


def _themes() -> dict[str, dict[str, str]]:
    css = (_ROOT / "static/css/tokens.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", css)
    light = {name: first for name, first, _ in pairs}
    sepia = dict(re.findall(r"--([\w-]+): (#\w{6});", css.split('[data-theme="sepia"]')[1].split("}")[0]))
    return {"light": light, "dark": {name: second for name, _, second in pairs}, "sepia": light | sepia}


def _luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "sepia"])
def test_text_can_be_read_in_every_theme(theme: str) -> None:
    colours = _themes()[theme]
    pairs = [
        (text, ground)
        for text in ("ink", "soft", "accent", "changed", "danger")
        for ground in ("paper", "raised")
    ]
    pairs += [("on-accent", "accent"), ("ink", "accent-wash"), ("accent", "accent-wash"), ("soft", "sunken")]
    poor = {pair: round(_contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in poor.items() if ratio < 4.5} == {}
    edges = {ground: _contrast(colours["edge"], colours[ground]) for ground in ("paper", "raised")}
    assert {ground: ratio for ground, ratio in edges.items() if ratio < 3} == {}
