"""The difference between two JSON values, as a JSON value of its own. Pure.

A patch is one of::

    [value]                                       this value instead
    {"set": {key: patch}, "drop": [key]}          of an object: keys that differ or are new, keys that go
    {"at": {place: patch}, "cut": n, "add": [v]}  of an array: places that differ, how many stay, what follows
    {}                                            nothing differs

Values are the same only where they are written the same: 1, 1.0 and true are three different ones.
"""

import marshal
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

_Part = TypeVar("_Part", list[object], dict[str, object])

Patch: TypeAlias = "list[object] | dict[str, object]"

# The last that writes equal values as equal bytes, wherever in memory they are.
_MARSHAL = 2
_OF_OBJECT = frozenset({"set", "drop"})
_OF_ARRAY = frozenset({"at", "cut", "add"})


def make_patch(before: object, after: object) -> Patch:
    """What turns the one JSON value into the other. It may share parts with ``after``."""
    if _is_same(before, after):
        return {}
    if isinstance(before, dict) and isinstance(after, dict):
        return _between_objects(before, after)
    if isinstance(before, list) and isinstance(after, list):
        return _between_arrays(before, after)
    return [after]


def apply_patch(before: object, patch: object) -> object:
    """The value that the patch leads to. ``before`` stays as it is; what did not change is shared with it.

    Raises ValueError for what is no patch of such a value.
    """
    if isinstance(patch, list) and len(patch) == 1:
        return patch[0]
    if patch == {}:
        return before
    if isinstance(patch, dict):
        if isinstance(before, dict) and patch.keys() <= _OF_OBJECT:
            return _patched_object(before, patch)
        if isinstance(before, list) and patch.keys() <= _OF_ARRAY:
            return _patched_array(before, patch)
    raise ValueError("The difference does not fit what it is a difference from.")


def _between_objects(before: Mapping[str, object], after: Mapping[str, object]) -> Patch:
    changed: dict[str, object] = {}
    for key in sorted(after):
        patch = make_patch(before[key], after[key]) if key in before else [after[key]]
        if patch:
            changed[key] = patch
    parts = {"set": changed, "drop": sorted(key for key in before if key not in after)}
    return {name: part for name, part in parts.items() if part}


def _between_arrays(before: list[object], after: list[object]) -> Patch:
    shared = min(len(before), len(after))
    patches = (make_patch(before[place], after[place]) for place in range(shared))
    patch: dict[str, object] = {}
    if changed := {str(place): found for place, found in enumerate(patches) if found}:
        patch["at"] = changed
    if shared < len(before):
        patch["cut"] = shared
    if shared < len(after):
        patch["add"] = after[shared:]
    return patch


def _is_same(before: Any, after: Any) -> bool:
    """Whether the values are equal and of the same types all through, asked without a walk.

    Most of a document did not change, and a walk through all of it takes five times as long. Objects whose
    keys come in another order are walked, and found to differ in nothing.
    """
    return before == after and marshal.dumps(before, _MARSHAL) == marshal.dumps(after, _MARSHAL)


def _patched_object(before: dict[str, object], patch: dict[str, object]) -> dict[str, object]:
    after = dict(before)
    for key in _part(patch, "drop", list):
        if not isinstance(key, str) or after.pop(key, after) is after:
            raise ValueError("The difference takes away what is not there.")
    for key, changed in _part(patch, "set", dict).items():
        after[key] = apply_patch(before.get(key), changed)
    return after


def _patched_array(before: list[object], patch: dict[str, object]) -> list[object]:
    length = patch.get("cut", len(before))
    if type(length) is not int or not 0 <= length <= len(before):
        raise ValueError("The difference keeps more than there is.")
    after = before[:length]
    for place, changed in _part(patch, "at", dict).items():
        if not 0 <= int(place) < length:
            raise ValueError("The difference changes what is not there.")
        after[int(place)] = apply_patch(after[int(place)], changed)
    return after + _part(patch, "add", list)


def _part(patch: dict[str, object], name: str, kind: type[_Part]) -> _Part:
    part = patch.get(name, kind())
    if not isinstance(part, kind):
        raise ValueError("The difference is not written as one.")
    return part
