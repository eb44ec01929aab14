"""The rows of the bench: each module here has some, as ``ROWS``."""

import importlib
import pkgutil
import re

from storyteller.bench.base import Row


def find_rows() -> list[Row]:
    """Every row there is, in the order of their numbers."""
    modules = [
        importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    rows: list[Row] = [row for module in modules for row in module.ROWS]
    return sorted(rows, key=lambda row: [int(part) for part in re.findall(r"\d+", row.id)])
