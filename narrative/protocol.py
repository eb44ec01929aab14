"""Every frame of the WebSocket, as a model. docs/protocol.md describes them for other front ends."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from campaigns.schemas import HeadOut, TurnOut, TurnRequestOut


class ActiveRequest(BaseModel):
    id: int
    mode: str
    text: str
    partial: str


# --- what the server sends ---------------------------------------------------------------------------------


class Hello(BaseModel):
    type: Literal["hello"] = "hello"
    head: HeadOut
    can_undo: bool
    can_redo: bool
    active_request: ActiveRequest | None


class TurnStarted(BaseModel):
    type: Literal["turn.started"] = "turn.started"
    request: TurnRequestOut


class TurnDelta(BaseModel):
    type: Literal["turn.delta"] = "turn.delta"
    request: int
    text: str


class TurnReasoning(BaseModel):
    type: Literal["turn.reasoning"] = "turn.reasoning"
    request: int
    text: str


class TurnSettling(BaseModel):
    type: Literal["turn.settling"] = "turn.settling"
    request: int


class TurnAccepted(BaseModel):
    type: Literal["turn.accepted"] = "turn.accepted"
    request: int
    turn: TurnOut


class TurnFailed(BaseModel):
    type: Literal["turn.failed"] = "turn.failed"
    request: int
    code: str
    detail: str
    partial: str


class TurnStopped(BaseModel):
    type: Literal["turn.stopped"] = "turn.stopped"
    request: int
    turn: TurnOut | None


class HeadMoved(BaseModel):
    type: Literal["head.moved"] = "head.moved"
    head: HeadOut
    reason: str


class StoryChanged(BaseModel):
    type: Literal["story.changed"] = "story.changed"


class StateChanged(BaseModel):
    type: Literal["state.changed"] = "state.changed"


class DerivedChanged(BaseModel):
    type: Literal["derived.changed"] = "derived.changed"
    kind: str
    status: str


class Pong(BaseModel):
    type: Literal["pong"] = "pong"


class ErrorFrame(BaseModel):
    type: Literal["error"] = "error"
    code: str
    detail: str


Final = TurnAccepted | TurnFailed | TurnStopped
TurnFrame = TurnStarted | TurnDelta | TurnReasoning | TurnSettling | Final
Frame = Hello | TurnFrame | HeadMoved | StoryChanged | StateChanged | DerivedChanged | Pong | ErrorFrame


# --- what a client sends -----------------------------------------------------------------------------------


class _FromClient(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Submit(_FromClient):
    type: Literal["turn.submit"]
    request_id: str | None = None
    mode: str
    text: str = ""


class Retry(_FromClient):
    type: Literal["turn.retry"]
    request_id: str | None = None
    turn: int


class Stop(_FromClient):
    type: Literal["turn.stop"]
    keep: bool = True


class Ping(_FromClient):
    type: Literal["ping"]


ClientFrame = Submit | Retry | Stop | Ping
client_frame: TypeAdapter[ClientFrame] = TypeAdapter(Annotated[ClientFrame, Field(discriminator="type")])
