from __future__ import annotations

import base64
import unittest
from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from standardwebhooks import Webhook

from flow_hooks import FlowHooksError, verify

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
# RFC 8032, section 7.1, test 1.
PRIVATE_KEY = Ed25519PrivateKey.from_private_bytes(
    bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
)
PUBLIC_KEY = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
BODY = '{"id": "1", "data": {"name": "é"}}'


def headers(secret: str = SECRET, body: str = BODY, minutes_ago: float = 0) -> dict[str, str]:
    at = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    signature = Webhook(secret).sign("1", at, body)
    return {"Webhook-Id": "1", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}


def headers_of_key(minutes_ago: float = 0) -> dict[str, str]:
    both = headers(OTHER, minutes_ago=minutes_ago)
    signature = PRIVATE_KEY.sign(f"1.{both['webhook-timestamp']}.{BODY}".encode())
    return {**both, "webhook-signature": f"{both['webhook-signature']} v1a,{base64.b64encode(signature).decode()}"}


class Verify(unittest.TestCase):
    def refusal(self, *arguments: object) -> str:
        with self.assertRaises(FlowHooksError) as raised:
            verify(*arguments)  # type: ignore[arg-type]
        self.assertNotIn("MfKQ9r8GKYqr", str(raised.exception))
        return raised.exception.code

    def test_returns_the_json_of_a_signed_body(self) -> None:
        for body in (BODY, BODY.encode()):
            self.assertEqual(verify(SECRET, headers(), body), {"id": "1", "data": {"name": "é"}})

    def test_accepts_any_of_several_secrets_and_signatures(self) -> None:
        self.assertEqual(verify([OTHER, SECRET], headers(), BODY)["id"], "1")
        both = headers(OTHER)["webhook-signature"] + " " + headers()["webhook-signature"]
        self.assertEqual(verify(SECRET, {**headers(), "webhook-signature": both}, BODY)["id"], "1")
        self.assertEqual(verify(SECRET, {**headers(), "webhook-signature": both.split()}, BODY)["id"], "1")

    def test_refuses_other_secrets_bodies_and_times(self) -> None:
        self.assertEqual(self.refusal(OTHER, headers(), BODY), "invalid_signature")
        self.assertEqual(self.refusal(SECRET, headers(), BODY + " "), "invalid_signature")
        for minutes_ago in (6, -6):
            self.assertEqual(self.refusal(SECRET, headers(minutes_ago=minutes_ago), BODY), "invalid_signature")

    def test_refuses_malformed_headers_and_bodies_as_unsigned(self) -> None:
        for name in headers():
            rest = {each: value for each, value in headers().items() if each != name}
            self.assertEqual(self.refusal(SECRET, rest, BODY), "invalid_signature")
        for signature in ("v1", "v1,", "v1,a,b", "v1,é", "v1,!", "v2,abc", " ", ","):
            broken = {**headers(), "webhook-signature": signature}
            self.assertEqual(self.refusal(SECRET, broken, BODY), "invalid_signature", signature)
        for timestamp in ("soon", "nan", "inf", "-1", "1e400"):
            broken = {**headers(), "webhook-timestamp": timestamp}
            self.assertEqual(self.refusal(SECRET, broken, BODY), "invalid_signature", timestamp)
        self.assertEqual(self.refusal(SECRET, headers(), b"\xff"), "invalid_signature")

    def test_accepts_signatures_that_a_public_key_verifies(self) -> None:
        for body in (BODY, BODY.encode()):
            self.assertEqual(verify([SECRET, PUBLIC_KEY], headers_of_key(), body)["id"], "1")
        self.assertEqual(self.refusal(PUBLIC_KEY, headers_of_key(), BODY + " "), "invalid_signature")
        self.assertEqual(self.refusal(PUBLIC_KEY, headers(), BODY), "invalid_signature")
        for minutes_ago in (6, -6):
            self.assertEqual(self.refusal(PUBLIC_KEY, headers_of_key(minutes_ago), BODY), "invalid_signature")
        for name, value in headers_of_key().items():
            broken = {**headers_of_key(), name: value.replace("v1a,", "v1a,A")[1:]}
            self.assertEqual(self.refusal(PUBLIC_KEY, broken, BODY), "invalid_signature", name)

    def test_refuses_a_signed_body_that_is_no_json(self) -> None:
        self.assertEqual(self.refusal(SECRET, headers(body="{"), "{"), "invalid_body")

    def test_refuses_secrets_that_are_none(self) -> None:
        no_secrets: list[object] = ["", "whsec_", "whsec_é", "whpk_", "whpk_AAAA", []]
        for secret in no_secrets:
            self.assertEqual(self.refusal(secret, headers(), BODY), "invalid_option", secret)
