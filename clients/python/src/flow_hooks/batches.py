"""Publishing many events, in as few requests as the limits of the service allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from .answers import Answer
from .errors import FlowHooksError
from .events import BatchResult, NewFlowEvent, PublishResult
from .serialise import PreparedEvent, prepare

MAX_EVENTS = 1_000
MAX_BYTES = 4_000_000
"""The limit of the service is 4 MiB."""

SendBatch = Callable[[bytes], Answer]
"""Sends a JSON array of events."""


def publish_all(events: Iterable[NewFlowEvent], send: SendBatch) -> list[BatchResult]:
    """A result for each event, in order. Requests follow one another, so that the order of the events is kept."""
    prepared = [prepared_at(index, event) for index, event in enumerate(events)]
    results: list[BatchResult] = []
    try:
        for batch in batches(prepared):
            publish_batch(batch, send, results)
    except FlowHooksError as error:
        known = [*results, *(error.results or [])]
        error.results = [*known, *unresolved(prepared[len(known) :], "not_recorded")]
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

    Appends their results, also if a later request fails: its error has what is known of its own events.
    """
    try:
        answered = results_of(send(b"[" + b",".join(event.json for event in batch) + b"]"), len(batch))
    except FlowHooksError as error:
        if error.status != 413:
            error.results = unresolved(batch, error.outcome)
            raise
        if len(batch) == 1:
            results.append({"status": "rejected", "id": batch[0].id, "error": error.code, "message": error.message})
            return
        middle = len(batch) // 2
        publish_batch(batch[:middle], send, results)
        publish_batch(batch[middle:], send, results)
        return
    for event, result in zip(batch, answered):
        result["id"] = event.id
        results.append(result)


def results_of(answer: Answer, count: int) -> list[BatchResult]:
    """One for each event. Raises `unexpected_answer`."""
    answered = answer.json("results")["results"]
    if not isinstance(answered, list) or len(answered) != count:
        raise answer.unexpected()
    if not all(isinstance(result, dict) and "status" in result for result in answered):
        raise answer.unexpected()
    return answered


def unresolved(events: Iterable[PreparedEvent], status: Literal["unknown", "not_recorded"]) -> list[PublishResult]:
    return [{"status": status, "id": event.id} for event in events]
