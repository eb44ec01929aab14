"""What is stored of a state grows with what changed, and any state is read by one statement."""

import itertools
import json
import zlib
from collections.abc import Callable, Sequence

import pytest
from django.db import connection
from django.db.models import RestrictedError, Sum
from django.db.models.functions import Length
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from campaigns.models import Campaign, StateVersion, Take
from campaigns.services import deletion, head
from campaigns.services.state_chains import chain_after, hash_of, load_chain, pack
from campaigns.services.state_versions import (
    MOST_ROWS,
    canonical_json,
    delete_unneeded_states,
    read_document,
    read_documents,
    read_state,
    record_state_version,
)
from tests import factories
from tests.campaigns.reading import breaches, opening_of
from tests.campaigns.statements import recorded

WORDS = (
    "ash",
    "brine",
    "copper",
    "dusk",
    "ember",
    "flint",
    "gale",
    "hollow",
    "iron",
    "juniper",
    "kelp",
    "loam",
)


def world(entities: int) -> dict[str, object]:
    """A document whose entities have as much to them as those of a story, each with words of its own."""
    return {
        "version": 1,
        "entities": {f"entity-{number}": _entity(number) for number in range(entities)},
        "scene": {"summary": "Rain.", "present": ["entity-0"]},
    }


def _entity(number: int) -> dict[str, object]:
    # Hashes for the numbers' sake: no entity is packed away by being like the one before it.
    digest = hash_of(str(number).encode())
    words = " ".join(WORDS[int(digit, 16) % len(WORDS)] for digit in digest[:20])
    return {
        "name": f"{words.split()[0].title()} {digest[:6]}",
        "type": "character",
        "aliases": [digest[6:12]],
        "description": f"{words}.",
        "status": "active",
        "location": None,
        "conditions": [],
        "attributes": {"mood": "calm"},
        "authority": "accepted_story",
        "at": {"branch": 1, "depth": number},
    }


def record(
    campaign: Campaign, document: dict[str, object], parent: StateVersion | None = None
) -> StateVersion:
    return record_state_version(
        campaign_id=campaign.pk, document=document, parent_id=None if parent is None else parent.pk
    )


def changed(document: dict[str, object], number: int) -> dict[str, object]:
    """The document with one attribute of one entity changed."""
    after: dict[str, dict[str, dict[str, dict[str, object]]]] = json.loads(json.dumps(document))
    keys = sorted(after["entities"])
    after["entities"][keys[number * 7 % len(keys)]]["attributes"]["mood"] = f"mood {number}"
    return dict(after)


def line(campaign: Campaign, count: int, entities: int = 60) -> list[tuple[StateVersion, dict[str, object]]]:
    """A whole document and so many versions of it after that, each made from the one before it."""
    document = world(entities)
    made = [(record(campaign, document), document)]
    for number in range(count):
        document = changed(document, number)
        made.append((record(campaign, document, made[-1][0]), document))
    return made


def stand_on(campaign: Campaign, versions: Sequence[StateVersion]) -> None:
    """Takes of the opening for these versions, and for no other."""
    opening = opening_of(campaign)
    for version in versions:
        ordinal = opening.takes.count()
        Take.objects.create(
            turn=opening, ordinal=ordinal, narration=".", origin=Take.Origin.EDITED, state_version=version
        )


def sql(statement: str, *parameters: int | bytes) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def stored_bytes(versions: Sequence[StateVersion]) -> int:
    total = StateVersion.objects.filter(pk__in=[version.pk for version in versions]).aggregate(
        bytes=Sum(Length("document"))
    )
    return int(total["bytes"])


# --- What is stored -------------------------------------------------------------------------------------


def test_what_is_stored_grows_with_what_changed_and_not_with_what_exists(campaign: Campaign) -> None:
    """P11."""
    small = [version for version, _ in line(campaign, 100, entities=20)]
    large = [version for version, _ in line(campaign, 100, entities=600)]
    assert stored_bytes(large[:1]) > 20 * stored_bytes(small[:1])
    assert stored_bytes(large[1:]) <= 2 * stored_bytes(small[1:])


def test_equal_documents_share_a_row(campaign: Campaign) -> None:
    first, second, third = (version for version, _ in line(campaign, 2))
    again = record(campaign, changed(world(60), 0), third)
    assert again == second
    assert record(campaign, dict(reversed(world(60).items())), third) == first
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    assert record(other, world(60)) not in (first, second, third)


def test_what_differs_in_a_type_alone_is_another_document(campaign: Campaign) -> None:
    document = world(60)
    before = record(campaign, {**document, "n": 1})
    versions = [before, *(record(campaign, {**document, "n": n}, before) for n in (1.0, True))]
    assert [version.chain for version in versions] == [0, 1, 1]
    assert [repr(read_state(version.pk)["n"]) for version in versions] == ["1", "1.0", "True"]


def test_a_base_is_the_version_with_the_lowest_bit_taken_off(campaign: Campaign) -> None:
    versions = [version for version, _ in line(campaign, 70)]
    assert [version.chain for version in versions] == list(range(71))
    assert [version.base_id for version in versions[1:]] == [versions[n & (n - 1)].pk for n in range(1, 71)]


@given(steps=st.integers(min_value=0, max_value=20_000))
def test_no_chain_is_longer_than_seven_rows(steps: int) -> None:
    following = chain_after(steps)
    assert following > steps
    assert following.bit_count() < MOST_ROWS
    # The base is among those that the version before is read from.
    ancestors = {steps}
    while steps:
        steps &= steps - 1
        ancestors.add(steps)
    assert following & (following - 1) in ancestors


def test_a_long_line_is_read_from_seven_rows_at_most(campaign: Campaign) -> None:
    made = line(campaign, 140, entities=200)
    assert [version.chain for version, _ in made[126:129]] == [126, 128, 129]
    assert max(len(load_chain(version.pk)) for version, _ in made) == MOST_ROWS
    assert all(read_state(version.pk) == document for version, document in made)


def test_a_fork_is_based_on_the_line_that_it_left(campaign: Campaign) -> None:
    made = line(campaign, 6)
    (fifth, document), (sixth, _) = made[5], made[6]
    fork = record(campaign, changed(document, 50), fifth)
    assert (fork.chain, fork.base_id) == (sixth.chain, sixth.base_id)
    assert read_state(fork.pk) == changed(document, 50)


def test_a_document_that_changed_much_is_stored_whole(campaign: Campaign) -> None:
    before = record(campaign, world(60))
    after = record(campaign, {**world(60), "entities": {"only": {"name": "Only"}}}, before)
    assert (after.base_id, after.chain, after.parent_id) == (None, 0, before.pk)
    assert record(campaign, changed(world(60), 1), before).chain == 1


def test_a_version_is_not_based_on_another_campaigns(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    version = record(other, changed(world(60), 1), record(campaign, world(60)))
    assert (version.base_id, version.chain) == (None, 0)


def test_what_cannot_be_read_is_not_built_on(campaign: Campaign) -> None:
    made = line(campaign, 3)
    sql("UPDATE campaigns_stateversion SET document = x'00' WHERE id = %s", made[0][0].pk)
    version = record(campaign, changed(made[3][1], 40), made[3][0])
    assert (version.base_id, version.chain) == (None, 0)
    assert read_state(version.pk) == changed(made[3][1], 40)


def test_a_document_nested_beyond_comparing_is_stored_whole(campaign: Campaign) -> None:
    nested: dict[str, object] = {}
    for _ in range(600):
        nested = {"in": nested}
    before = record(campaign, {**world(60), "deep": nested})
    after = record(campaign, {**world(60), "deep": {"in": nested}}, before)
    assert after.base_id is None
    assert "deep" in read_state(after.pk)


def test_a_number_without_a_word_is_refused(campaign: Campaign) -> None:
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            canonical_json({"n": number})
        with pytest.raises(ValueError, match="JSON"):
            record(campaign, {"version": 1, "n": number})


def test_a_base_is_not_deleted_under_what_needs_it(campaign: Campaign) -> None:
    (first, _), (second, _) = line(campaign, 1)
    with pytest.raises(RestrictedError):
        first.delete()
    assert read_state(second.pk)


# --- Reading --------------------------------------------------------------------------------------------


def test_a_state_is_one_statement_however_long_its_chain(
    campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    made = line(campaign, 63)
    for chain in (0, 1, 63):
        version, document = made[chain]
        assert version.chain == chain
        with django_assert_num_queries(1), recorded() as statements:
            assert read_state(version.pk) == document
        assert statements.rows_read() == chain.bit_count() + 1
        assert not [step for step in statements.plans() if step.startswith("SCAN") and "state" in step]


def test_a_version_is_read_with_its_bases_or_without(
    campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    version, document = line(campaign, 7)[7]
    for related, statements in ((["campaign"], 1), (["base"], 1), (["base__base__base"], 0)):
        loaded = StateVersion.objects.select_related(*related).get(pk=version.pk)
        with django_assert_num_queries(statements):
            assert read_document(loaded) == document


def test_a_row_that_was_stored_whole_is_still_read(campaign: Campaign) -> None:
    """Every one from before differences were stored."""
    canonical = json.dumps(world(60), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    old = StateVersion.objects.create(
        campaign=campaign, document=zlib.compress(canonical, 9), content_hash=hash_of(canonical)
    )
    assert read_state(old.pk) == read_document(old) == world(60)
    new = record(campaign, changed(world(60), 1), old)
    assert new.base == old
    assert read_state(new.pk) == changed(world(60), 1)


def test_many_are_read_without_asking_for_each(campaign: Campaign) -> None:
    made = line(campaign, 100)
    with recorded() as statements:
        read = list(
            read_documents(StateVersion.objects.filter(pk__gte=made[0][0].pk).order_by("pk").iterator())
        )
    assert [outcome for _, outcome in read] == [document for _, document in made]
    assert len(statements) == 1


def test_many_are_read_in_any_order(campaign: Campaign) -> None:
    made = line(campaign, 100)
    read = list(read_documents(version for version, _ in reversed(made)))
    assert [outcome for _, outcome in read] == [document for _, document in reversed(made)]


# --- Damage ---------------------------------------------------------------------------------------------


def _lost(version: StateVersion) -> None:
    sql("UPDATE campaigns_stateversion SET document = x'00' WHERE id = %s", version.pk)


def _no_bytes(version: StateVersion) -> None:
    sql("UPDATE campaigns_stateversion SET document = 'text' WHERE id = %s", version.pk)


def _no_json(version: StateVersion) -> None:
    _store(version, b"{")


def _no_difference(version: StateVersion) -> None:
    _store(version, b'{"drop":["nothing"]}')


def _no_document(version: StateVersion) -> None:
    _store(version, b"[5]")


def _other_difference(version: StateVersion) -> None:
    _store(version, b'{"set":{"more":[1]}}')


def _without_a_word(version: StateVersion) -> None:
    _store(version, b'{"set":{"more":[NaN]}}')


def _too_deep(version: StateVersion) -> None:
    _store(version, b"[" * 5_000 + b"]" * 5_000)


def _other_hash(version: StateVersion) -> None:
    sql("UPDATE campaigns_stateversion SET content_hash = 'x' WHERE id = %s", version.pk)


def _based_on_another_campaigns(version: StateVersion) -> None:
    other = factories.make_campaign(owner=version.campaign.owner, title="Persephone")
    stranger = StateVersion.objects.get(campaign=other)
    sql("UPDATE campaigns_stateversion SET base_id = %s WHERE id = %s", stranger.pk, version.pk)


def _based_on_itself(version: StateVersion) -> None:
    sql("UPDATE campaigns_stateversion SET base_id = id WHERE id = %s", version.pk)


def _based_on_a_later_one(version: StateVersion) -> None:
    later = StateVersion.objects.filter(pk__gt=version.pk).order_by("-chain")[0]
    sql("UPDATE campaigns_stateversion SET base_id = %s WHERE id = %s", later.pk, version.pk)


def _store(version: StateVersion, written: bytes) -> None:
    sql("UPDATE campaigns_stateversion SET document = %s WHERE id = %s", pack(written), version.pk)


DAMAGES = [
    (_lost, "cannot be unpacked"),
    (_no_bytes, "cannot be unpacked"),
    (_no_json, "is not written as JSON"),
    (_no_difference, "cannot be read as a difference"),
    (_no_document, "holds no document"),
    (_other_difference, "does not match its hash"),
    (_without_a_word, "does not match its hash"),
    (_too_deep, "is not written as JSON"),
    (_other_hash, "does not match its hash"),
    (_based_on_another_campaigns, "which is campaign"),
    (_based_on_itself, "does not come before it"),
    (_based_on_a_later_one, "does not come before it"),
]


@pytest.mark.parametrize(("damage", "said"), DAMAGES)
def test_a_damaged_row_is_named_once_with_the_takes_above_it(
    campaign: Campaign, damage: Callable[[StateVersion], None], said: str
) -> None:
    """4 is read from 0, and 5, 6 and 7 from 4."""
    versions = [version for version, _ in line(campaign, 7)]
    stand_on(campaign, [versions[number] for number in (0, 3, 4, 6, 7, 7)])
    assert breaches() == []
    damage(versions[4])
    (breach,) = breaches()
    assert (breach.invariant, breach.campaign_id) == ("I2", campaign.pk)
    assert breach.detail.startswith(f"State version {versions[4].pk} ")
    assert said in breach.detail
    assert breach.detail.endswith("Takes that stand on it: 4.")
    with pytest.raises(ValueError, match=f"State version {versions[4].pk} .*{said}"):
        read_state(versions[4].pk)
    assert read_state(versions[3].pk)


@pytest.mark.parametrize("damage", [_lost, _other_difference, _no_difference, _based_on_itself])
def test_the_row_at_fault_is_named_from_above(
    campaign: Campaign, damage: Callable[[StateVersion], None]
) -> None:
    versions = [version for version, _ in line(campaign, 7)]
    damage(versions[4])
    for number in (5, 6, 7):
        with pytest.raises(ValueError, match=f"State version {versions[4].pk} "):
            read_state(versions[number].pk)
        with pytest.raises(ValueError, match=f"State version {versions[4].pk} "):
            read_document(StateVersion.objects.get(pk=versions[number].pk))


def test_a_damaged_whole_is_named_once(campaign: Campaign) -> None:
    versions = [version for version, _ in line(campaign, 20)]
    stand_on(campaign, versions)
    _lost(versions[0])
    (breach,) = breaches()
    assert f"State version {versions[0].pk} cannot be unpacked" in breach.detail
    assert breach.detail.endswith("Takes that stand on it: 21.")


@pytest.mark.django_db(transaction=True)
def test_a_missing_base_is_named() -> None:
    campaign = factories.make_campaign(owner=factories.make_owner())
    versions = [version for version, _ in line(campaign, 3)]
    with connection.constraint_checks_disabled():
        sql("DELETE FROM campaigns_stateversion WHERE id = %s", versions[0].pk)
    named = [breach.detail for breach in breaches() if breach.invariant == "I2"]
    assert named == [
        f"State version {version.pk} is a difference from state version {versions[0].pk}, which is not there."
        " Takes that stand on it: 0."
        for version in (versions[1], versions[2])
    ]
    with pytest.raises(ValueError, match="is not there"):
        read_state(versions[3].pk)
    with pytest.raises(ValueError, match="is not there"):
        read_state(versions[0].pk)
    with pytest.raises(ValueError, match="is not there"):
        read_document(StateVersion.objects.select_related("base").get(pk=versions[1].pk))
    with connection.constraint_checks_disabled():
        sql("DELETE FROM campaigns_stateversion WHERE base_id IS NOT NULL")


def test_verifying_a_long_line_makes_as_many_statements(campaign: Campaign) -> None:
    versions = [version for version, _ in line(campaign, 5)]
    with recorded() as few:
        assert breaches() == []
    document = read_state(versions[-1].pk)
    last = versions[-1]
    for number in range(5, 200):
        document = changed(document, number)
        last = record(campaign, document, last)
    with recorded() as many:
        assert breaches() == []
    assert [statement for statement, _ in many.made] == [statement for statement, _ in few.made]


# --- Deleting -------------------------------------------------------------------------------------------


def kept_after_deleting(campaign: Campaign, versions: Sequence[StateVersion]) -> list[int]:
    delete_unneeded_states(campaign_id=campaign.pk)
    left = set(StateVersion.objects.values_list("pk", flat=True))
    return [number for number, version in enumerate(versions) if version.pk in left]


def test_what_no_take_stands_on_goes_and_needed_bases_stay(campaign: Campaign) -> None:
    made = line(campaign, 12)
    versions = [version for version, _ in made]
    stand_on(campaign, [versions[7], versions[9]])
    assert kept_after_deleting(campaign, versions) == [0, 4, 6, 7, 8, 9]
    for number in (7, 9):
        assert read_state(versions[number].pk) == made[number][1]
    versions[6].refresh_from_db()
    assert versions[6].parent is None
    versions[7].refresh_from_db()
    assert versions[7].parent == versions[6]
    assert breaches() == []
    Take.objects.filter(state_version=versions[7]).delete()
    assert kept_after_deleting(campaign, versions) == [0, 8, 9]
    Take.objects.filter(state_version=versions[9]).delete()
    assert kept_after_deleting(campaign, versions) == []
    assert breaches() == []


def test_other_campaigns_keep_theirs(campaign: Campaign) -> None:
    other = factories.make_campaign(owner=campaign.owner, title="Persephone")
    versions = [version for version, _ in line(other, 3)]
    delete_unneeded_states(campaign_id=campaign.pk)
    assert StateVersion.objects.filter(pk__in=[version.pk for version in versions]).count() == 4


def test_deleting_many_makes_as_many_statements(campaign: Campaign) -> None:
    counts = []
    for count in (2, 150):
        stand_on(campaign, [version for version, _ in line(campaign, count)][-1:])
        with recorded() as statements:
            delete_unneeded_states(campaign_id=campaign.pk)
        counts.append(len(statements))
    assert counts == [2, 2]


def test_a_campaign_is_deleted_with_all_its_chains(campaign: Campaign) -> None:
    versions = [version for version, _ in line(campaign, 20)]
    stand_on(campaign, versions)
    deletion.delete_campaign(campaign_id=campaign.pk, confirmation=campaign.title)
    assert not StateVersion.objects.exists()
    assert breaches() == []


def test_a_deleted_fork_leaves_what_the_first_line_is_read_from(campaign: Campaign) -> None:
    made = line(campaign, 3)
    turns = factories.play_turns(campaign, 3)
    for turn, (version, _) in zip(turns, itertools.islice(made, 1, None), strict=True):
        Take.objects.filter(turn=turn).update(state_version=version)
    aside = factories.fork_at(campaign, 1)
    own = record(campaign, changed(made[1][1], 90), made[1][0])
    Take.objects.filter(turn__branch=aside).update(state_version=own)
    head.activate_branch(campaign_id=campaign.pk, branch_id=turns[0].branch_id)
    deletion.delete_branch(campaign_id=campaign.pk, branch_id=aside.pk)
    assert not StateVersion.objects.filter(pk=own.pk).exists()
    assert all(read_state(version.pk) == document for version, document in made[1:])
    assert breaches() == []
