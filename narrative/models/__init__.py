"""The narrator's tables: what was sent, what was proposed and changed, and what is made from the story."""

from narrative.models.derived import Derived, DerivedQuerySet, DerivedStatus, Memory, Summary
from narrative.models.proposals import Proposal, StateEvent
from narrative.models.records import PromptRecord, PromptText, TokenRatio
from narrative.models.saved_settings import SavedSettings

__all__ = [
    "Derived",
    "DerivedQuerySet",
    "DerivedStatus",
    "Memory",
    "PromptRecord",
    "PromptText",
    "Proposal",
    "SavedSettings",
    "StateEvent",
    "Summary",
    "TokenRatio",
]
