"""Prompt records as they are shown."""

from typing import Annotated, Any

from pydantic import BaseModel, Field


class SectionOut(BaseModel):
    label: str
    text: str
    tokens: int
    reason: str


class MessageOut(BaseModel):
    role: str
    content: str


class TokensOut(BaseModel):
    """All in tokens, raised by the model's `ratio`; `estimated` is the total without it. `prefix_reused` are
    those that the prompt before began with as well."""

    window: int
    total: int
    estimated: int
    output_reserve: int
    protected: int
    left: int
    history_budget: int
    history_spent: int
    prefix_reused: int
    ratio: float


class HistoryOut(BaseModel):
    included: int
    total: int
    from_: Annotated[int | None, Field(validation_alias="from", serialization_alias="from")] = None


class SourceOut(BaseModel):
    branch: int
    from_: Annotated[int, Field(validation_alias="from", serialization_alias="from")]
    to: int


class SummaryUsedOut(BaseModel):
    id: int
    type: str
    trigger: str
    branch: int
    from_: Annotated[int, Field(validation_alias="from", serialization_alias="from")]
    to: int
    model: str
    tokens: int
    is_partly: bool


class MemoryUsedOut(BaseModel):
    id: int
    text: str
    similarity: float
    score: float
    factors: dict[str, float]
    authority: str
    pinned: bool
    source: SourceOut
    tokens: int


class SetAsideOut(BaseModel):
    id: int
    text: str
    reason: str


class MemoriesOut(BaseModel):
    used: list[MemoryUsedOut]
    set_aside: list[SetAsideOut]
    considered: int


class PartOut(BaseModel):
    part: str
    cap: int
    spent: int


class BudgetOut(BaseModel):
    parts: list[PartOut]


class DroppedOut(BaseModel):
    section: str
    text: str
    reason: str


class PromptRecordOut(BaseModel):
    """What was sent, or would be: complete, for ever, and without a reference to anything."""

    sections: list[SectionOut]
    messages: list[MessageOut]
    tokens: TokensOut
    history: HistoryOut
    summary: SummaryUsedOut | None
    memories: MemoriesOut
    knowledge: dict[str, Any]
    budget: BudgetOut
    dropped: list[DroppedOut]
    derived: list[dict[str, Any]]
    model: str
    options: dict[str, Any]
    usage: dict[str, Any]
