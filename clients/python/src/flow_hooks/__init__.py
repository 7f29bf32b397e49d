"""Publish flow events to a Flow Hooks service, operate their deliveries, and verify what listeners receive."""

from .client import FlowHooks
from .errors import FlowHooksError
from .events import Accepted, BatchResult, DeliveredEvent, NewFlowEvent, Published, PublishResult, Rejected, Unresolved
from .version import __version__
from .webhooks import verify

__all__ = [
    "Accepted",
    "BatchResult",
    "DeliveredEvent",
    "FlowHooks",
    "FlowHooksError",
    "NewFlowEvent",
    "PublishResult",
    "Published",
    "Rejected",
    "Unresolved",
    "__version__",
    "verify",
]
