"""Publishing many events, in as few requests as the limits of the service allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .errors import FlowHooksError
from .events import BatchResult, NewFlowEvent, PublishResult
from .serialise import PreparedEvent, prepare

MAX_EVENTS = 1_000
MAX_BYTES = 4_000_000
"""The limit of the service is 4 MiB."""

SendBatch = Callable[[bytes], Any]
"""Sends a JSON array of events, and returns the `results` of the answer."""


def publish_all(events: Iterable[NewFlowEvent], send: SendBatch) -> list[BatchResult]:
    """A result for each event, in order. Requests follow one another, so that the order of the events is kept."""
    prepared = [prepared_at(index, event) for index, event in enumerate(events)]
    results: list[BatchResult] = []
    try:
        for batch in batches(prepared):
            publish_batch(batch, send, results)
    except FlowHooksError as error:
        error.results = [*results, *unknown(prepared[len(results) :])]
        raise
    return results


def prepared_at(index: int, event: NewFlowEvent) -> PreparedEvent:
    try:
        prepared = prepare(event)
    except ValueError as error:
        raise FlowHooksError("invalid_event", f"event {index} is no JSON: {error}") from error
    if len(prepared.json) > MAX_BYTES - 2:
        raise FlowHooksError("payload_too_large", f"event {index} has more than {MAX_BYTES} bytes")
    return prepared


def batches(events: Sequence[PreparedEvent]) -> Iterator[Sequence[PreparedEvent]]:
    """Parts of the events that are small enough for one request each."""
    start, size = 0, 1
    for index, event in enumerate(events):
        size_with_comma = len(event.json) + 1
        if index - start == MAX_EVENTS or size + size_with_comma > MAX_BYTES:
            yield events[start:index]
            start, size = index, 1
        size += size_with_comma
    if start < len(events):
        yield events[start:]


def publish_batch(batch: Sequence[PreparedEvent], send: SendBatch, results: list[BatchResult]) -> None:
    """Publishes the events in one request, or in halves if a proxy or a limit of the organisation allows fewer at once.

    Appends their results, also if a later request fails.
    """
    try:
        answered = send(b"[" + b",".join(event.json for event in batch) + b"]")
    except FlowHooksError as error:
        if error.status != 413:
            raise
        if len(batch) == 1:
            results.append({"status": "rejected", "id": batch[0].id, "error": error.code, "message": error.message})
            return
        middle = len(batch) // 2
        publish_batch(batch[:middle], send, results)
        publish_batch(batch[middle:], send, results)
        return
    if not isinstance(answered, list) or len(answered) != len(batch):
        raise FlowHooksError("unexpected_answer", "the answer does not have a result for each event")
    for event, result in zip(batch, answered):
        result["id"] = event.id
        results.append(result)


def unknown(events: Iterable[PreparedEvent]) -> list[PublishResult]:
    return [{"status": "unknown", "id": event.id} for event in events]
