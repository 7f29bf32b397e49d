"""Verification of deliveries, for receivers of listeners."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from standardwebhooks import Webhook, WebhookVerificationError

from .errors import FlowHooksError


class Headers(Protocol):
    """A dict, or the headers of a request of any web framework. A header that was sent several times may be a list."""

    def items(self) -> Iterable[tuple[str, str | Sequence[str]]]: ...


def verify(secret: str | Sequence[str], headers: Headers, body: bytes | str) -> Any:
    """The JSON of a delivery whose signature is valid (Standard Webhooks).

    That is a `DeliveredEvent`, unless the listener has a transformation. `secret`: the `signingSecret` of the listener, or
    several of which one has to match. `headers`: their names in any case. `body`: as it arrived, before any parsing.

    Raises FlowHooksError: `invalid_signature` if a header, the time (5 minutes of tolerance) or the signature is not
    valid, `invalid_body` if a signed body is no JSON, `invalid_option` if a secret is none.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise FlowHooksError("invalid_option", "secret: there is none")
    texts = {name: value if isinstance(value, str) else " ".join(value) for name, value in headers.items()}
    webhooks = [webhook_of(each) for each in secrets]
    if not any(is_signed(webhook, texts, body) for webhook in webhooks):
        raise FlowHooksError("invalid_signature", "the signature of the delivery is not valid")
    try:
        return json.loads(body)
    except ValueError as error:
        raise FlowHooksError("invalid_body", "the body of the delivery is no JSON") from error


def webhook_of(secret: str) -> Webhook:
    try:
        return Webhook(secret)
    except Exception:  # the library has several; without their texts, which may quote the secret
        raise FlowHooksError("invalid_option", "secret: is not a signing secret") from None


def is_signed(webhook: Webhook, headers: dict[str, str], body: bytes | str) -> bool:
    try:
        webhook.verify(body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):  # ValueError: a malformed signature, or a body that is no UTF-8
        return False
    return True
