from __future__ import annotations

import socket
import time

from flow_hooks import FlowHooks, FlowHooksError
from flow_hooks.retries import delay_after, parse_retry_after

from .stub_service import Answer, Connection, StubService, break_off, hang_up
from .without_delays import WithoutDelays

ACCEPTED = Answer(202, {"id": "1"})
NOW = "Wed, 21 Oct 2026 07:28:00 GMT"


def refused(status: int, **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": "code_of_the_service", "message": "why", "requestId": "r1"}, named)


class Repeats(WithoutDelays):
    def test_temporary_failures_with_the_same_id_and_body(self) -> None:
        failures = [refused(status) for status in (408, 425, 429, 500, 502, 503, 504, 599)]
        with StubService(*failures, ACCEPTED) as service, FlowHooks(service.url, "key", retries=8) as client:
            client.publish({"type": "order.paid", "data": "é"})
        self.assertEqual(len(service.requests), 9)
        self.assertEqual(len({request.body for request in service.requests}), 1)
        self.assertTrue(service.bodies[0]["id"])

    def test_lost_connections_and_broken_off_answers(self) -> None:
        failures = [Answer(misbehave=hang_up), Answer(misbehave=break_off)]
        with StubService(*failures, ACCEPTED) as service, FlowHooks(service.url, "key") as client:
            self.assertEqual(client.publish({"type": "order.paid", "data": None}), {"id": "1"})
        self.assertEqual(len({request.json()["id"] for request in service.requests}), 1)
        self.assertEqual(len(service.requests), 3)

    def test_a_refused_connection_until_the_retries_are_used_up(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            client = FlowHooks(f"http://127.0.0.1:{unused.getsockname()[1]}", "key", retries=2)
            with self.assertRaises(FlowHooksError) as raised:
                client.publish({"type": "order.paid", "data": None, "id": "mine"})
        self.assertEqual((raised.exception.code, raised.exception.status), ("connection_failed", None))
        self.assertEqual(raised.exception.results, [{"status": "unknown", "id": "mine"}])
        self.assertEqual(len(self.delays), 2)

    def test_and_says_whether_an_event_may_have_been_recorded(self) -> None:
        refused = Answer(401, {"error": "unauthorized", "message": "no"})
        cases = {
            "not_recorded": [[refused], [Answer(429, {}), refused]],
            "unknown": [[Answer(misbehave=hang_up), refused], [Answer(503, {}), refused], [Answer(408, {}), refused]],
        }
        for status, scripts in cases.items():
            for script in scripts:
                with StubService(*script) as service, FlowHooks(service.url, "key") as client:
                    with self.subTest(script), self.assertRaises(FlowHooksError) as raised:
                        client.publish({"type": "order.paid", "data": None, "id": "mine"})
                self.assertEqual(raised.exception.results, [{"status": status, "id": "mine"}])

    def test_an_attempt_that_has_no_answer_in_time(self) -> None:
        silent = Answer(misbehave=lambda connection: time_out(connection, 30))
        with StubService(silent, ACCEPTED) as service, FlowHooks(service.url, "key", timeout=1) as client:
            client.publish({"type": "order.paid", "data": None})
        self.assertEqual(len(service.requests), 2)

    def test_an_attempt_whose_answer_drips(self) -> None:
        with StubService(Answer(misbehave=drip)) as service:
            with FlowHooks(service.url, "key", timeout=0.3, retries=0) as client:
                started = time.monotonic()
                with self.assertRaises(FlowHooksError) as raised:
                    client.publish({"type": "order.paid", "data": None})
        self.assertEqual(raised.exception.code, "timeout")
        self.assertLess(time.monotonic() - started, 10)

    def test_no_answer_that_is_final(self) -> None:
        for status in (400, 401, 403, 404, 409, 413, 422, 501, 505):
            with self.subTest(status), StubService(refused(status)) as service:
                with FlowHooks(service.url, "key") as client, self.assertRaises(FlowHooksError) as raised:
                    client.publish({"type": "order.paid", "data": None})
                self.assertEqual((raised.exception.status, len(service.requests)), (status, 1))

    def test_no_request_of_the_api_but_a_get(self) -> None:
        with StubService(refused(503)) as service, FlowHooks(service.url, "key", retries=2) as client:
            with self.assertRaises(FlowHooksError):
                client.api.pause_listener("1")
            self.assertEqual(len(service.requests), 1)
            with self.assertRaises(FlowHooksError):
                client.api.show_listener("1")
            self.assertEqual(len(service.requests), 4)


class Delays(WithoutDelays):
    def test_double_with_jitter_up_to_a_minute(self) -> None:
        for attempt, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (6, 32.0), (7, 60.0), (2_000, 60.0)):
            found = [delay_after(attempt, None) for _ in range(200)]
            self.assertGreaterEqual(min(found), longest / 2)
            self.assertLessEqual(max(found), longest)
            self.assertGreater(max(found) - min(found), longest / 4)

    def test_are_never_shorter_than_retry_after(self) -> None:
        answers = [refused(429, retry_after="7"), refused(503, retry_after="Wed, 21 Oct 2026 07:28:09 GMT", date=NOW)]
        with StubService(*answers, ACCEPTED) as service, FlowHooks(service.url, "key") as client:
            client.publish({"type": "order.paid", "data": None})
        for delay, asked in zip(self.delays, (7, 9), strict=True):
            self.assertGreaterEqual(delay, asked)
            self.assertLessEqual(delay, asked + 1)

    def test_end_with_the_deadline_without_an_early_repeat(self) -> None:
        with StubService(refused(429, retry_after="600")) as service:
            with FlowHooks(service.url, "key", deadline=30) as client, self.assertRaises(FlowHooksError) as raised:
                client.publish({"type": "order.paid", "data": None})
        self.assertEqual((self.delays, len(service.requests)), ([], 1))
        self.assertEqual(raised.exception.retry_after, 600)

    def test_read_retry_after_as_rfc_9110_has_it(self) -> None:
        for value, seconds in (("0", 0), (" 12 ", 12), (NOW, 0), ("Wed, 21 Oct 2026 07:28:05 GMT", 5)):
            self.assertEqual(parse_retry_after(value, NOW), seconds, value)
        self.assertEqual(parse_retry_after("Wed, 21 Oct 2015 07:28:00 GMT", NOW), 0)
        for invalid in ("", "soon", "-1", "1.5", "1e3", "٣", "Wed, 99 Oct 2026 07:28:05 GMT"):
            self.assertIsNone(parse_retry_after(invalid, NOW), invalid)
        self.assertIsNone(parse_retry_after(None, NOW))
        without_date = parse_retry_after("Wed, 21 Oct 2999 07:28:00 GMT", None)
        self.assertGreater(without_date or 0, 1e9)


def time_out(connection: Connection, seconds: float) -> None:
    connection.connection.settimeout(seconds)
    try:
        connection.rfile.read(1)
    except TimeoutError:
        pass
    connection.close_connection = True


def drip(connection: Connection) -> None:
    connection.wfile.write(b"HTTP/1.1 202 Accepted\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n")
    try:
        for _ in range(1_000):
            connection.wfile.write(b" ")
            time.sleep(0.02)
    except OSError:
        pass
    connection.close_connection = True
