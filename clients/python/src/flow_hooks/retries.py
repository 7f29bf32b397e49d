"""When a request is repeated, and after which delay. All times are in seconds."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_DELAY = 1.0
LONGEST_DELAY = 60.0


def is_temporary(status: int) -> bool:
    """Whether a repeat may get another answer. 501 and 505 are about the request."""
    return status in (408, 425, 429) or (500 <= status <= 599 and status not in (501, 505))


def is_refusal(status: int | None) -> bool:
    """Whether a request had no effect. 408 is a proxy's too, which may have passed the request on."""
    return status is not None and 400 <= status <= 499 and status != 408


def delay_after(attempt: int, retry_after: float | None) -> float:
    """Before the next attempt, after this one (1 is the first). With jitter, so that clients do not repeat together.

    Never shorter than the service asked for.
    """
    backoff = min(FIRST_DELAY * 2.0 ** min(attempt - 1, 10), LONGEST_DELAY) * random.uniform(0.5, 1)
    return backoff if retry_after is None else max(backoff, retry_after + random.uniform(0, 1))


def parse_retry_after(value: str | None, date: str | None) -> float | None:
    """`Retry-After` (RFC 9110 §10.2.3) of an answer with this `Date`. None: there is none, or it is not valid."""
    if value is None:
        return None
    if re.fullmatch(r"\s*[0-9]+\s*", value):
        return float(value)
    until = http_date(value)
    if until is None:
        return None
    now = (http_date(date) if date else None) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
