"""A difference leads from any JSON value to any other, exactly, and changes neither."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.json_patch import apply_patch, make_patch

# Few keys and few numbers, so that two values often have much in common and differ in a type alone.
SCALARS = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, 1, 0.0, -0.0, 1.0, "", "1", "a"])
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from("abcd") | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=20,
)


def written(value: object) -> str:
    """A value as text, which tells 1, 1.0 and true apart where Python's equality does not."""
    return json.dumps(value, sort_keys=True)


@given(before=VALUES, after=VALUES)
@settings(max_examples=500)
def test_a_difference_leads_from_one_value_to_the_other(before: object, after: object) -> None:
    was, becomes = written(before), written(after)
    patch = json.loads(json.dumps(make_patch(before, after)))
    assert written(apply_patch(before, patch)) == becomes
    assert (written(before), written(after)) == (was, becomes)


@given(value=VALUES)
def test_what_is_the_same_has_no_difference(value: object) -> None:
    assert make_patch(value, json.loads(json.dumps(value))) == {}
    assert written(apply_patch(value, {})) == written(value)


def test_the_order_of_keys_is_no_difference_and_does_not_order_one() -> None:
    assert make_patch({"a": 1, "b": [2]}, {"b": [2], "a": 1}) == {}
    one = make_patch({}, {"b": 1, "a": 2})
    assert json.dumps(one) == json.dumps(make_patch({}, {"a": 2, "b": 1}))


@pytest.mark.parametrize(
    ("before", "after", "patch"),
    [
        (1, 1.0, [1.0]),
        (1, True, [True]),
        (0.0, -0.0, [-0.0]),
        ({"a": False}, {"a": 0}, {"set": {"a": [0]}}),
        (
            {"a": {"b": 1, "c": 2}, "d": 3},
            {"a": {"b": 4, "c": 2}},
            {"set": {"a": {"set": {"b": [4]}}}, "drop": ["d"]},
        ),
        ([1, 2, 3], [1, 5], {"at": {"1": [5]}, "cut": 2}),
        ([{"a": 1}], [{"a": 2}, None], {"at": {"0": {"set": {"a": [2]}}}, "add": [None]}),
        ({}, [], [[]]),
        ([], None, [None]),
    ],
)
def test_only_what_differs_is_written(before: object, after: object, patch: object) -> None:
    assert written(make_patch(before, after)) == written(patch)


@pytest.mark.parametrize(
    ("before", "patch"),
    [
        ({}, 5),
        ({}, []),
        ({}, [1, 2]),
        ({}, {"at": {}}),
        ([], {"set": {}}),
        ("text", {"set": {"a": [1]}}),
        ({"a": 1}, {"set": [1]}),
        ({"a": 1}, {"drop": "a"}),
        ({"a": 1}, {"drop": ["b"]}),
        ({"a": 1}, {"drop": [["a"]]}),
        ({}, {"set": {"a": {"set": {"b": [1]}}}}),
        ([1], {"at": {"1": [2]}}),
        ([1], {"at": {"-1": [2]}}),
        ([1], {"at": {"first": [2]}}),
        ([1], {"cut": 2}),
        ([1], {"cut": -1}),
        ([1], {"cut": True}),
        ([1], {"add": {"a": 1}}),
    ],
)
def test_what_is_no_difference_of_the_value_is_refused(before: object, patch: object) -> None:
    was = written(before)
    with pytest.raises(ValueError, match=r"The difference|invalid literal"):
        apply_patch(before, patch)
    assert written(before) == was
