"""Flow events as producers send them, and the results of publishing."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Instant: TypeAlias = str | datetime
"""ISO 8601 with an offset, or an aware datetime."""


class NewFlowEvent(TypedDict):
    """A flow event to publish."""

    type: str
    """1 to 128 letters, digits or `. _ : / -`."""
    data: Any
    """Any JSON."""
    orgId: NotRequired[str | None]
    """Optional if the key is for one organisation."""
    id: NotRequired[str | None]
    """Identifies the event in its organisation: publishing it again has no effect. A UUID if there is none."""
    flowId: NotRequired[str | None]
    """Events with the same flow keep their order. The `id` if there is none."""
    occurredAt: NotRequired[Instant | None]


class Published(TypedDict):
    """A flow event that is recorded, now or earlier under the same id."""

    id: str
    warning: NotRequired[str]
    """How the data does not match the declared event type."""


class Accepted(TypedDict):
    """It is recorded, now or earlier under the same id."""

    status: Literal["accepted"]
    id: str
    warning: NotRequired[str]
    """How the data does not match the declared event type."""


class Rejected(TypedDict):
    """It is not recorded. Sending it again without a correction gives the same result."""

    status: Literal["rejected"]
    id: str
    error: str
    """A stable code."""
    message: str


class Unresolved(TypedDict):
    """Publish it again, with this id. `unknown`: it may be recorded. `not_recorded`: its request was refused, or not sent."""

    status: Literal["unknown", "not_recorded"]
    id: str


BatchResult: TypeAlias = Accepted | Rejected
"""The result of one event of a batch."""

PublishResult: TypeAlias = Accepted | Rejected | Unresolved
"""What is known of one event after a call that failed."""


class DeliveredEvent(TypedDict):
    """The body that listeners without a transformation receive."""

    id: str
    type: str
    timestamp: str
    orgId: str
    flowId: str
    data: Any
