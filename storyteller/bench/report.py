"""What a run found: as a table for people, as JSON for programs."""

import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

from django.utils import timezone

from storyteller import __version__
from storyteller.bench.base import Row, Sizes
from storyteller.bench.comparisons import Comparison

_FORMAT = "{:<4} {:<30} {:>10} {:>10}  {:<33} {:>10} {:>8}  {:<22} {}"
HEADINGS = _FORMAT.format(
    "row", "figure", "median", "p95", "held against", "median", "ratio", "target", "holds"
)


@dataclass(slots=True)
class Finding:
    """A row's lines, or why there are none."""

    row: Row
    comparisons: list[Comparison] = field(default_factory=list)
    error: str = ""


def table_line(row: Row, comparison: Comparison) -> str:
    ratio = comparison.ratio
    return _FORMAT.format(
        row.id,
        comparison.what,
        _number(comparison.figure.median, comparison.unit),
        _number(comparison.figure.p95, comparison.unit),
        comparison.reference_name,
        _number(comparison.reference.median, comparison.unit),
        "" if ratio is None else f"{ratio:.2f} ×",
        comparison.target_text,
        {True: "yes", False: "NO", None: ""}[comparison.holds],
    ).rstrip()


def as_document(findings: Iterable[Finding], *, sizes: Sizes, seed: int) -> dict[str, object]:
    return {
        "version": __version__,
        "finished_at": timezone.now().isoformat(),
        "machine": {
            "python": platform.python_version(),
            "system": platform.platform(),
            "cores": os.cpu_count(),
        },
        "seed": seed,
        "sizes": asdict(sizes),
        "rows": [_row_document(finding) for finding in findings],
    }


def _row_document(finding: Finding) -> dict[str, object]:
    return {
        "id": finding.row.id,
        "what": finding.row.what,
        "error": finding.error,
        "lines": [_line_document(comparison) for comparison in finding.comparisons],
    }


def _line_document(comparison: Comparison) -> dict[str, object]:
    return {
        "what": comparison.what,
        "unit": comparison.unit,
        "median": comparison.figure.median,
        "p95": comparison.figure.p95,
        "values": comparison.figure.values,
        "reference": comparison.reference_name,
        "reference_median": comparison.reference.median,
        "reference_p95": comparison.reference.p95,
        "reference_values": comparison.reference.values,
        "ratio": comparison.ratio,
        "target": comparison.target_text,
        "holds": comparison.holds,
    }


def _number(value: float, unit: str) -> str:
    if unit == "queries":
        return f"{value:.0f}"
    if unit == "ms":
        return f"{value:.2f} ms"
    return f"{value:,.0f}/s"
