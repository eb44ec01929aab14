"""From what somebody wrote to what the state holds: by key, by slug, by a name nobody else has. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from narrative.state.document import Document, Entity
from narrative.state.events import WITHDRAWN, AddFact, BaseEvent, Event
from narrative.state.fields import references
from narrative.state.keys import folded_key, folded_label, folded_name

_SHOWN = 80


class UnknownReferenceError(Exception):
    """Nothing, or more than one thing, is called so. The message is fit for a person."""


@dataclass(slots=True)
class Resolver:
    """Resolves against a document. ``fact_ids`` are ids that facts of this proposal asked for and did not
    get, with what they got."""

    document: Document
    fact_ids: dict[str, str] = field(default_factory=dict)

    def resolve(self, event: Event) -> Event:
        """The event with a key in the place of every reference. Raises UnknownReferenceError."""
        found: dict[str, object] = {}
        for name, role in references(type(event)).items():
            value = getattr(event, name)
            if value is None:
                continue
            if isinstance(value, list):
                found[name] = list(dict.fromkeys(self._find(name, role.to, text) for text in value))
            else:
                found[name] = self._find(name, role.to, value)
        return event.model_copy(update=found) if found else event

    def _find(self, name: str, to: str, text: str) -> str:
        if to == "thread":
            return self._thread(name, text)
        if to == "fact":
            return self._fact(name, text)
        if to == "either":
            fact = self._find_fact(text)
            if self._match_entity(text) == [] and fact is not None:
                return fact
        return self.entity(name, text)

    def entity(self, name: str, text: str) -> str:
        return _only(self._match_entity(text), name, text, "entity", self.document.entities)

    def _match_entity(self, text: str) -> list[str]:
        entities = self.document.entities
        if text in entities:
            return [text]
        slug = folded_key(text)
        by_slug = [key for key in entities if folded_key(key) == slug]
        if by_slug:
            return by_slug
        by_name = [key for key, entity in entities.items() if _bears(entity, text)]
        # What was never there takes its name from nobody.
        there = [key for key in by_name if folded_label(entities[key].status) != WITHDRAWN]
        return there or by_name

    def _thread(self, name: str, text: str) -> str:
        threads = self.document.threads
        if text in threads:
            return text
        found = [key for key in threads if folded_key(key) == folded_key(text)]
        found = found or [
            key for key, thread in threads.items() if folded_name(thread.title) == folded_name(text)
        ]
        return _only(found, name, text, "thread", threads)

    def _fact(self, name: str, text: str) -> str:
        found = self._find_fact(text)
        if found is None:
            raise UnknownReferenceError(f"“{name}”: there is no fact “{text[:_SHOWN]}”.")
        return found

    def _find_fact(self, text: str) -> str | None:
        slug = folded_key(text)
        if slug in self.fact_ids:
            return self.fact_ids[slug]
        if self.document.fact(text) is not None:
            return text
        return next((fact.id for fact in self.document.facts if folded_key(fact.id) == slug), None)


def find_entity(document: Document, text: str) -> str | None:
    """The one entity that is called so, or None."""
    try:
        return Resolver(document).entity("entity", text)
    except UnknownReferenceError:
        return None


def all_called(document: Document, text: str) -> set[str]:
    """Every entity that a rule may mean by a text: by key, by name or by alias. A second one of the same name
    takes the rule from nobody."""
    return {
        key
        for key, entity in document.entities.items()
        if folded_key(key) == folded_key(text) or _bears(entity, text)
    }


def _bears(entity: Entity, name: str) -> bool:
    return folded_name(name) in (folded_name(each) for each in (entity.name, *entity.aliases))


def given_fact_ids(events: Iterable[BaseEvent]) -> set[str]:
    """Ids that facts ask for, so that no made one takes them."""
    return {event.fact_id for event in events if isinstance(event, AddFact) and event.fact_id}


def _only(found: list[str], name: str, text: str, what: str, known: Mapping[str, object]) -> str:
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(found[:4])
        raise UnknownReferenceError(
            f"“{name}”: more than one {what} is called “{text[:_SHOWN]}”: {keys}. Name it by its key."
        )
    raise UnknownReferenceError(f"“{name}”: there is no {what} “{text[:_SHOWN]}”.{_like(text, known)}")


def _like(text: str, known: Mapping[str, object]) -> str:
    """The keys that come closest, to say what could have been meant."""
    words = set(folded_key(text).split("-"))
    close = [key for key in known if words & set(folded_key(key).split("-"))]
    return f" There is: {', '.join(close[:3])}." if close else ""
