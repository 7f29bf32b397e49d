from __future__ import annotations

import logging
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import urllib3

from flow_hooks import FlowHooks, FlowHooksError, NewFlowEvent

from .stub_service import Answer, Request, StubService
from .without_delays import WithoutDelays

KEY = "fh_key_that_must_stay_secret"


class Client(WithoutDelays):
    def test_refuses_addresses_and_keys_that_are_none(self) -> None:
        no_addresses = ("", "hooks.example.com", "ftp://a", "http://", "http://a:x", "http://a b")
        for url in (*no_addresses, "http://a?b", "http://a#", "http://u:p@a", "http://u@a", "http://@a"):
            with self.subTest(url), self.assertRaises(FlowHooksError) as raised:
                FlowHooks(url, KEY)
            self.assertEqual(raised.exception.code, "invalid_option")
        for key in ("", f"{KEY}\n", f"{KEY} ", f"{KEY}é"):
            with self.subTest(key), self.assertRaises(FlowHooksError) as raised:
                FlowHooks("http://a", key)
            self.assertNotIn(KEY, str(raised.exception))

    def test_refuses_times_and_retries_out_of_range(self) -> None:
        wrong: list[dict[str, Any]] = [{"retries": -1}]
        wrong += [{name: value} for name in ("timeout", "deadline") for value in (0, -1, float("inf"), float("nan"))]
        for options in wrong:
            with self.subTest(options), self.assertRaises(FlowHooksError) as raised:
                FlowHooks("http://a", KEY, **options)
            self.assertEqual(raised.exception.code, "invalid_option")

    def test_shows_its_key_neither_in_texts_nor_in_errors_nor_in_logs(self) -> None:
        logging.getLogger().setLevel(logging.DEBUG)
        with self.assertLogs(level="DEBUG") as logs, StubService(Answer(503, {}), Answer(401, {})) as service:
            with FlowHooks(service.url, KEY) as client, self.assertRaises(FlowHooksError) as raised:
                next(client.list_listeners(org_id="acme"))
        texts = [repr(client), str(client), str(raised.exception), repr(raised.exception), *logs.output]
        self.assertTrue(any("attempt 1 of GET /admin/api/listeners failed" in text for text in texts))
        for text in texts:
            self.assertNotIn(KEY, text)

    def test_serves_several_threads(self) -> None:
        with StubService(Answer(202, {"id": "1"})) as service, FlowHooks(service.url, KEY) as client:
            events: list[NewFlowEvent] = [{"type": "t", "data": number} for number in range(100)]
            with self.assertNoLogs("urllib3", "WARNING"), ThreadPoolExecutor(16) as threads:
                self.assertEqual(list(threads.map(client.publish, events)), [{"id": "1"}] * 100)
        self.assertCountEqual([body["data"] for body in service.bodies], range(100))

    def test_sends_requests_through_a_pool_that_it_is_given(self) -> None:
        with StubService(Answer(200, {"items": [], "next": None})) as proxy:
            pool = urllib3.ProxyManager(proxy.url)
            with FlowHooks("http://hooks.example.com", KEY, pool=pool) as client:
                self.assertEqual(list(client.list_listeners(org_id="acme")), [])
        self.assertTrue(proxy.requests[0].path.startswith("http://hooks.example.com/admin/api/listeners?orgId=acme"))


class Errors(WithoutDelays):
    def error_of(self, answer: Answer) -> FlowHooksError:
        with StubService(answer) as service, FlowHooks(service.url, KEY, retries=0) as client:
            with self.assertRaises(FlowHooksError) as raised:
                client.publish({"type": "t", "data": 1, "id": "1"})
        return raised.exception

    def test_have_the_code_the_message_and_the_request_of_the_service(self) -> None:
        body = {"error": "too_many_requests", "message": "slow down", "requestId": "r1"}
        error = self.error_of(Answer(429, body, {"X-Request-Id": "r1", "Retry-After": "3"}))
        self.assertEqual((error.code, error.message, error.status), ("too_many_requests", "slow down", 429))
        self.assertEqual((error.request_id, error.retry_after), ("r1", 3))
        self.assertEqual(str(error), "slow down (too_many_requests, status 429, request r1)")
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(copy), copy.results), (str(error), [{"status": "not_recorded", "id": "1"}]))

    def test_have_the_request_id_of_the_body_if_a_proxy_has_removed_the_header(self) -> None:
        for request_id, expected in (("r2", "r2"), (7, None)):
            error = self.error_of(Answer(403, {"error": "forbidden", "message": "no", "requestId": request_id}))
            self.assertEqual(error.request_id, expected)

    def test_of_other_servers_are_http_errors(self) -> None:
        html = Answer(502, b"<h1>Bad Gateway</h1>", {"content-type": "text/html"})
        for answer in (html, Answer(502, b"{", {}), Answer(502, [1]), Answer(502, {"error": 1})):
            error = self.error_of(answer)
            self.assertEqual((error.code, error.message), ("http_error", "502 Bad Gateway"))

    def test_of_an_address_of_something_else_are_unexpected_answers(self) -> None:
        html = Answer(200, b"<h1>Welcome</h1>", {"content-type": "text/html"})
        for answer in (html, Answer(200, b"{"), Answer(200, []), Answer(200, {}), Answer(204, b"")):
            self.assertEqual(self.error_of(answer).code, "unexpected_answer")

    def test_name_a_redirect_that_is_not_followed(self) -> None:
        with StubService(Answer()) as other:
            for status in (301, 302, 303, 307, 308):
                error = self.error_of(Answer(status, b"", {"Location": f"{other.url}/login?secret=1"}))
                self.assertEqual(error.code, "unexpected_redirect")
                self.assertIn(f"{other.url}/login,", error.message)
        self.assertEqual(other.requests, [])


class Routes(WithoutDelays):
    def test_send_path_query_headers_and_body(self) -> None:
        with StubService(Answer()) as service, FlowHooks(service.url, KEY) as client:
            client.api.show_delivery("a/b c", {"orgId": "ä&b"})
            client.api.subscribe({"hookUrl": "https://a.example", "subscriptionType": "*"}, headers={"orgid": "acme"})
        first, second = service.requests
        self.assertEqual(first.path, "/admin/api/deliveries/a%2Fb%20c?orgId=%C3%A4%26b")
        self.assertEqual(second.headers["orgid"], "acme")
        self.assertEqual(second.json(), {"hookUrl": "https://a.example", "subscriptionType": "*"})

    def test_send_any_parameter_to_the_same_route(self) -> None:
        with StubService(Answer()) as service, FlowHooks(service.url, KEY) as client:
            for parameter in (".", "..", "../x", "a?b#c", "%2e", "ä"):
                client.api.show_replay(parameter)
            with self.assertRaises(FlowHooksError) as raised:
                client.api.show_replay("")
        segments = [request.path.removeprefix("/admin/api/replays/") for request in service.requests]
        self.assertEqual(segments, ["%2E", "%2E%2E", "..%2Fx", "a%3Fb%23c", "%252e", "%C3%A4"])
        self.assertEqual(raised.exception.code, "invalid_option")

    def test_refuse_headers_that_cannot_be_sent(self) -> None:
        with StubService(Answer()) as service, FlowHooks(service.url, KEY) as client:
            for org_id in ("acme\r\nauthorization: none", "\ud800"):
                with self.assertRaises(FlowHooksError) as raised:
                    client.api.list_sample_events(headers={"orgid": org_id})
                self.assertEqual(raised.exception.code, "invalid_option")
        self.assertEqual(service.requests, [])

    def test_send_ids_of_any_characters_as_the_utf_8_that_the_service_reads(self) -> None:
        with StubService(Answer(201, [])) as service, FlowHooks(service.url, KEY) as client:
            client.api.list_sample_events(headers={"orgid": "Zürich 艾达"})
        (request,) = service.requests
        self.assertEqual(request.headers["orgid"].encode("latin-1").decode(), "Zürich 艾达")

    def test_send_booleans_in_the_query_as_json_writes_them(self) -> None:
        with StubService(Answer()) as service, FlowHooks(service.url, KEY) as client:
            client._send_to_route("GET", "/test", query={"yes": True, "no": False, "number": 1})
        self.assertEqual(service.requests[0].path, "/test?yes=true&no=false&number=1")

    def test_send_and_return_files(self) -> None:
        seal = Answer(200, b"\x00seal", {"content-type": "application/octet-stream"})
        with StubService(seal, Answer()) as service, FlowHooks(service.url, KEY) as client:
            made = client.api.make_seal()
            client.api.check_seal(made)
        self.assertEqual(service.requests[1].body, b"\x00seal")
        self.assertEqual(service.requests[1].headers["content-type"], "application/octet-stream")


class Lists(WithoutDelays):
    def test_have_all_pages_each_requested_when_it_is_reached(self) -> None:
        pages = [{"items": [1, 2], "next": "a&b"}, {"items": [], "next": "c"}, {"items": [3], "next": None}]
        with StubService(*[Answer(200, page) for page in pages]) as service, FlowHooks(service.url, KEY) as client:
            deliveries = client.list_deliveries(org_id="acme", from_="2026-01-01T00:00:00Z", page_size=2)
            self.assertEqual(service.requests, [])
            self.assertEqual(next(deliveries), 1)
            self.assertEqual(len(service.requests), 1)
            self.assertEqual(list(deliveries), [2, 3])
        query = "/admin/api/deliveries?orgId=acme&from=2026-01-01T00%3A00%3A00Z&limit=2"
        paths = [request.path for request in service.requests]
        self.assertEqual(paths, [query, f"{query}&after=a%26b", f"{query}&after=c"])

    def test_of_explained_listeners_are_joined(self) -> None:
        def explained(request: Request) -> Answer:
            after = request.json().get("after")
            return Answer(200, {"event": {}, "items": [after], "next": {None: "1", "1": "2"}.get(after)})

        with StubService(explained) as service, FlowHooks(service.url, KEY) as client:
            explanation = client.explain(org_id="acme", event_id="order 1")
        self.assertEqual((explanation["items"], explanation["next"]), ([None, "1", "2"], None))
        self.assertEqual(service.requests[0].path, "/admin/api/flows/order%201/explain")

    def test_refuse_pages_without_items(self) -> None:
        with StubService(Answer(200, {"event": {}, "items": None, "next": None})) as service:
            with FlowHooks(service.url, KEY) as client:
                calls = (
                    lambda: next(client.list_deliveries(org_id="acme")),
                    lambda: client.explain(org_id="acme", event_id="1"),
                )
                for call in calls:
                    with self.assertRaises(FlowHooksError) as raised:
                        call()
                    self.assertEqual((raised.exception.code, raised.exception.status), ("unexpected_answer", 200))


class Replays(WithoutDelays):
    def test_are_started_once_although_the_request_is_repeated(self) -> None:
        with StubService(Answer(503, {}), Answer(201, {"id": "1"})) as service, FlowHooks(service.url, KEY) as client:
            client.replay(org_id="acme", listener_id="2", type="order.*")
        first, second = service.bodies
        self.assertEqual((first, first["type"]), (second, "order.*"))
        self.assertRegex(first["id"], "^[0-9a-f-]{36}$")

    def test_are_waited_for_until_they_have_ended(self) -> None:
        states = [{"state": "running", "percent": 10}, {"state": "running", "percent": 60}, {"state": "cancelled"}]
        seen: list[object] = []
        with StubService(*[Answer(200, state) for state in states]) as service:
            with FlowHooks(service.url, KEY) as client:
                replay = client.wait_for_replay("1", poll=0.01, on_progress=seen.append)
        self.assertEqual((replay, seen), (states[2], states))

    def test_are_waited_for_no_longer_than_asked(self) -> None:
        with StubService(Answer(200, {"state": "running", "percent": 10})) as service:
            with FlowHooks(service.url, KEY) as client, self.assertRaises(FlowHooksError) as raised:
                client.wait_for_replay("1", poll=0.1, timeout=1)
        self.assertEqual(raised.exception.code, "timeout")
        self.assertGreater(len(service.requests), 1)
