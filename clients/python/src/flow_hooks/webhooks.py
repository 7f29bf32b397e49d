"""Verification of deliveries, for receivers of listeners."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from standardwebhooks import Webhook, WebhookVerificationError

from .errors import FlowHooksError


class Headers(Protocol):
    """A dict, or the headers of a request of any web framework. A header that was sent several times may be a list."""

    def items(self) -> Iterable[tuple[str, str | Sequence[str]]]: ...


def verify(secret: str | Sequence[str], headers: Headers, body: bytes | str) -> Any:
    """The JSON of a delivery whose signature is valid (Standard Webhooks).

    That is a `DeliveredEvent`, unless the listener has a transformation. `secret`: the `signingSecret` of the listener, or
    its `signingPublicKey` (signatures `v1a`; needs `flow-hooks-client[ed25519]`), or several of which one has to match. `headers`: their names in any case. `body`: as it arrived, before any parsing.

    Raises FlowHooksError: `invalid_signature` if a header, the time (5 minutes of tolerance) or the signature is not
    valid, `invalid_body` if a signed body is no JSON, `invalid_option` if a secret is none.
    """
    secrets = [secret] if isinstance(secret, str) else list(secret)
    if not secrets:
        raise FlowHooksError("invalid_option", "secret: there is none")
    texts = {name: value if isinstance(value, str) else " ".join(value) for name, value in headers.items()}
    verifiers = [public_key_verifier(each) if each.startswith("whpk_") else secret_verifier(each) for each in secrets]
    if not any(is_signed(texts, body) for is_signed in verifiers):
        raise FlowHooksError("invalid_signature", "the signature of the delivery is not valid")
    try:
        return json.loads(body)
    except ValueError as error:
        raise FlowHooksError("invalid_body", "the body of the delivery is no JSON") from error


Verifier = Callable[[dict[str, str], bytes | str], bool]


def secret_verifier(secret: str) -> Verifier:
    try:
        webhook = Webhook(secret)
    except Exception:  # the library has several; without their texts, which may quote the secret
        raise FlowHooksError("invalid_option", "secret: is not a signing secret") from None

    def is_signed(headers: dict[str, str], body: bytes | str) -> bool:
        try:
            webhook.verify(body, headers, json_parse=False)
        except (WebhookVerificationError, ValueError):  # ValueError: a malformed signature, or a body that is no UTF-8
            return False
        return True

    return is_signed


TOLERANCE_SECONDS = 300  # that of standardwebhooks


def public_key_verifier(text: str) -> Verifier:
    """Verifies `v1a`, which standardwebhooks does not know."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        message = "secret: a public key needs cryptography (flow-hooks-client[ed25519])"
        raise FlowHooksError("invalid_option", message) from None
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(text.removeprefix("whpk_"), validate=True))
    except ValueError:
        raise FlowHooksError("invalid_option", "secret: is not a public key") from None

    def is_signature(encoded: str, content: bytes) -> bool:
        try:
            key.verify(base64.b64decode(encoded), content)
        except (InvalidSignature, ValueError):
            return False
        return True

    def is_signed(headers: dict[str, str], body: bytes | str) -> bool:
        lower = {name.lower(): value for name, value in headers.items()}
        webhook_id, timestamp = lower.get("webhook-id", ""), lower.get("webhook-timestamp", "")
        if not webhook_id or not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
            return False
        content = f"{webhook_id}.{timestamp}.".encode() + (body.encode() if isinstance(body, str) else body)
        signatures = (each.partition(",") for each in lower.get("webhook-signature", "").split())
        return any(version == "v1a" and is_signature(encoded, content) for version, _, encoded in signatures)

    return is_signed
