from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import Any

from flow_hooks import FlowHooks, FlowHooksError, NewFlowEvent

from .stub_service import Answer, Request, StubService, accept_all, hang_up
from .without_delays import WithoutDelays


def events(count: int, data: Any = None) -> list[NewFlowEvent]:
    return [{"type": "order.paid", "id": str(number), "data": data} for number in range(count)]


class Publish(WithoutDelays):
    def test_sends_the_event_with_the_key_and_without_absent_fields(self) -> None:
        with StubService(Answer(202, {"id": "1"})) as service, FlowHooks(f"{service.url}/base/", "key") as client:
            instant = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=1)))
            event: NewFlowEvent = {"type": "t", "data": None, "id": "1", "orgId": None, "occurredAt": instant}
            self.assertEqual(client.publish(event), {"id": "1"})
        (request,) = service.requests
        self.assertEqual((request.method, request.path), ("POST", "/base/api/flows"))
        self.assertEqual(request.headers["authorization"], "Bearer key")
        self.assertEqual(request.headers["content-type"], "application/json")
        sent = {"type": "t", "data": None, "id": "1", "occurredAt": "2026-01-02T03:04:05+01:00"}
        self.assertEqual(request.json(), sent)
        self.assertEqual(event["occurredAt"], instant)

    def test_makes_an_id_without_changing_the_event(self) -> None:
        event: NewFlowEvent = {"type": "t", "data": 1}
        with StubService(lambda request: Answer(202, {"id": request.json()["id"]})) as service:
            with FlowHooks(service.url, "key") as client:
                ids = {client.publish(event)["id"], client.publish(event)["id"]}
        self.assertEqual((len(ids), event), (2, {"type": "t", "data": 1}))

    def test_returns_the_warning_of_the_service(self) -> None:
        answer = Answer(202, {"id": "1"}, {"Flow-Hooks-Warning": "data.total: must be a number"})
        with StubService(answer) as service, FlowHooks(service.url, "key") as client:
            published = client.publish({"type": "t", "data": 1})
        self.assertEqual(published, {"id": "1", "warning": "data.total: must be a number"})

    def test_refuses_what_is_no_json_before_it_sends_anything(self) -> None:
        circular: list[Any] = []
        circular.append(circular)
        naive = datetime(2026, 1, 2)
        with StubService(Answer()) as service, FlowHooks(service.url, "key") as client:
            for data in (object(), float("nan"), circular, "\ud800", {1, 2}):
                with self.assertRaises(FlowHooksError) as raised:
                    client.publish_batch([{"type": "t", "data": 1}, {"type": "t", "data": data}])
                self.assertEqual((raised.exception.code, raised.exception.results), ("invalid_event", None))
                self.assertIn("event 1 ", raised.exception.message)
            with self.assertRaises(FlowHooksError) as raised:
                client.publish({"type": "t", "data": 1, "occurredAt": naive})
            self.assertEqual((raised.exception.code, raised.exception.results), ("invalid_event", None))
        self.assertEqual(service.requests, [])


class PublishBatch(WithoutDelays):
    def test_sends_at_most_1000_events_in_a_request(self) -> None:
        with StubService(accept_all) as service, FlowHooks(service.url, "key") as client:
            results = client.publish_batch(iter(events(2_001)))
        self.assertEqual([len(body) for body in service.bodies], [1_000, 1_000, 1])
        self.assertEqual(results, [{"id": str(number), "status": "accepted"} for number in range(2_001)])

    def test_sends_at_most_4_mb_of_utf_8_in_a_request(self) -> None:
        with StubService(accept_all) as service, FlowHooks(service.url, "key") as client:
            results = client.publish_batch(events(50, "é" * 100_000))
        sizes = [len(request.body) for request in service.requests]
        self.assertEqual([len(body) for body in service.bodies], [19, 19, 12])
        self.assertLessEqual(max(sizes), 4_000_000)
        self.assertEqual(len(results), 50)

    def test_fills_a_request_to_the_last_byte(self) -> None:
        empty = len(json.dumps(events(1, ""), separators=(",", ":")))
        exact = events(1, "x" * (4_000_000 - empty))
        with StubService(accept_all) as service, FlowHooks(service.url, "key") as client:
            client.publish_batch(exact)
            self.assertEqual(len(service.requests[0].body), 4_000_000)
            with self.assertRaises(FlowHooksError) as raised:
                client.publish_batch([*events(1), *events(1, "x" * (4_000_001 - empty))])
        self.assertEqual((raised.exception.code, raised.exception.status), ("payload_too_large", None))
        self.assertEqual(len(service.requests), 1)

    def test_fills_requests_with_several_events_to_the_last_byte(self) -> None:
        pair = len(json.dumps(events(2, ""), separators=(",", ":")))
        half, rest = divmod(4_000_000 - pair, 2)
        exact = events(1, "x" * half) + events(2, "x" * (half + rest))[1:]
        with StubService(accept_all) as service, FlowHooks(service.url, "key") as client:
            client.publish_batch([*exact, *exact])
            self.assertEqual([len(request.body) for request in service.requests], [4_000_000, 4_000_000])
            longer: NewFlowEvent = {**exact[1], "data": "x" * (half + rest + 1)}
            client.publish_batch([*exact, exact[0], longer])
            self.assertEqual([len(body) for body in service.bodies[2:]], [2, 1, 1])

    def test_needs_no_request_without_events(self) -> None:
        with StubService(accept_all) as service, FlowHooks(service.url, "key") as client:
            self.assertEqual(client.publish_batch([]), [])
        self.assertEqual(service.requests, [])

    def test_halves_a_batch_that_is_too_large_for_a_proxy(self) -> None:
        def proxy(request: Request) -> Answer:
            sent = request.json()
            if len(sent) > 3 or sent[0]["id"] == "6":
                return Answer(413, b"<h1>too large</h1>", {"content-type": "text/html"})
            return accept_all(request)

        with StubService(proxy) as service, FlowHooks(service.url, "key") as client:
            results = client.publish_batch(events(8))
        self.assertEqual([result["id"] for result in results], [str(number) for number in range(8)])
        rejected = [result for result in results if result["status"] == "rejected"]
        self.assertEqual([(each["id"], each["error"]) for each in rejected], [("6", "http_error")])

    def test_reports_the_known_results_with_an_error(self) -> None:
        reject = {"status": "rejected", "error": "invalid_request", "message": "type: is missing"}
        first = Answer(202, {"results": [{"status": "accepted", "id": "0"}] * 999 + [reject]})
        last = Answer(403, {"error": "forbidden", "message": "no", "requestId": "r1"})
        with StubService(first, last) as service, FlowHooks(service.url, "key") as client:
            with self.assertRaises(FlowHooksError) as raised:
                client.publish_batch(events(1_002))
        results = raised.exception.results or []
        self.assertEqual([each["id"] for each in results], [str(number) for number in range(1_002)])
        self.assertEqual(
            [each["status"] for each in results[998:]], ["accepted", "rejected", "not_recorded", "not_recorded"]
        )
        self.assertEqual(raised.exception.code, "forbidden")

    def test_refuses_an_answer_without_a_result_for_each_event(self) -> None:
        with StubService(Answer(202, {"results": []})) as service, FlowHooks(service.url, "key") as client:
            with self.assertRaises(FlowHooksError) as raised:
                client.publish_batch(events(1))
        self.assertEqual((raised.exception.code, raised.exception.status), ("unexpected_answer", 202))
        self.assertEqual(raised.exception.results, [{"status": "unknown", "id": "0"}])

    def test_refuses_results_of_another_shape(self) -> None:
        shapes: list[Any] = [None, "a", ["a"], [None], [{}]]
        for results in shapes:
            with StubService(Answer(202, {"results": results})) as service, FlowHooks(service.url, "key") as client:
                with self.subTest(results), self.assertRaises(FlowHooksError) as raised:
                    client.publish_batch(events(1))
            self.assertEqual(raised.exception.code, "unexpected_answer")

    def test_tells_events_of_a_lost_request_from_those_that_were_not_sent(self) -> None:
        with StubService(accept_all, Answer(misbehave=hang_up)) as service:
            with FlowHooks(service.url, "key", retries=0) as client, self.assertRaises(FlowHooksError) as raised:
                client.publish_batch(events(2_500))
        statuses = [each["status"] for each in raised.exception.results or []]
        expected = ["accepted"] * 1_000 + ["unknown"] * 1_000 + ["not_recorded"] * 500
        self.assertEqual(statuses, expected)
