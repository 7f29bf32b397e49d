"""Against a running service in development mode: FLOW_HOOKS_URL is its address, FLOW_HOOKS_ADMIN_KEY its admin key."""

from __future__ import annotations

import os
import time
import unittest
from uuid import uuid4

from flow_hooks import FlowHooks, FlowHooksError, NewFlowEvent, verify
from flow_hooks.api import types

from .listener import Listener
from .lossy_relay import LossyRelay


class AgainstTheService(unittest.TestCase):
    """Each test has an organisation, an API key of a producer for it, and the key of an operator."""

    def setUp(self) -> None:
        if "FLOW_HOOKS_URL" not in os.environ:
            self.skipTest("FLOW_HOOKS_URL is not set")
        self.url = os.environ["FLOW_HOOKS_URL"]
        self.org_id = f"org-{uuid4()}"
        self.operator = self.enterContext(FlowHooks(self.url, os.environ["FLOW_HOOKS_ADMIN_KEY"]))
        scopes: types.CreateApiKeyRequest = {
            "name": "shop",
            "orgId": self.org_id,
            "scopes": ["flows:publish", "listeners:read", "listeners:write", "deliveries:read"],
        }
        self.key = self.operator.api.create_api_key(scopes)["key"]
        self.producer = self.enterContext(FlowHooks(self.url, self.key))
        self.listener = self.enterContext(Listener())

    def subscribe(self, path: str, subscription_type: str = "*") -> types.SubscribeAnswer:
        return self.producer.subscribe(self.listener.url + path, subscription_type)

    def recorded(self, count: int) -> list[str]:
        """The ids of the organisation's flow events, once so many have been fanned out."""
        ends = time.monotonic() + 30
        while True:
            found = [event["eventId"] for event in self.operator.list_flow_events(org_id=self.org_id)]
            if len(found) >= count or time.monotonic() > ends:
                self.assertEqual(len(found), count)
                return found
            time.sleep(0.05)


class Publishing(AgainstTheService):
    def test_delivers_an_event_whose_signature_is_valid(self) -> None:
        listener = self.subscribe("/hook")
        data = {"total": 42, "name": "é"}
        published = self.producer.publish({"type": "order.paid", "id": "order-1-paid", "data": data})
        self.assertEqual(published, {"id": "order-1-paid"})
        (delivery,) = self.listener.received("/hook")
        event = verify(listener["signingSecret"], delivery.headers, delivery.body)
        self.assertEqual((event["id"], event["orgId"]), ("order-1-paid", self.org_id))
        self.assertEqual(event["data"], data)
        with self.assertRaises(FlowHooksError) as raised:
            verify("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", delivery.headers, delivery.body)
        self.assertEqual(raised.exception.code, "invalid_signature")

    def test_is_verified_with_the_old_and_the_new_secret_during_a_rotation(self) -> None:
        listener = self.producer.subscribe(self.listener.url + "/hook", "*", signed_with_key_pair=True)
        rotated = self.operator.api.rotate_listener_secret(listener["listenerId"])
        self.producer.publish({"type": "order.paid", "data": 1})
        (delivery,) = self.listener.received("/hook")
        for key in (each[name] for each in (listener, rotated) for name in ("signingSecret", "signingPublicKey")):
            self.assertEqual(verify(key, delivery.headers, delivery.body)["data"], 1)

    def test_records_an_event_once_although_the_answers_were_lost(self) -> None:
        self.subscribe("/hook")
        with LossyRelay(self.url, lost_answers=2) as relay, FlowHooks(relay.url, self.key) as producer:
            published = producer.publish({"type": "order.paid", "data": 1})
            batch = producer.publish_batch([{"type": "order.paid", "data": 2}])
        self.assertEqual(relay.requests, 4)
        self.assertCountEqual(self.recorded(2), [published["id"], batch[0]["id"]])
        self.listener.received("/hook", 2)
        deliveries = list(self.operator.list_deliveries(org_id=self.org_id))
        self.assertEqual(len(deliveries), 2)

    def test_records_a_batch_once_although_its_answer_was_lost(self) -> None:
        events: list[NewFlowEvent] = [{"type": "order.paid", "data": number} for number in range(100)]
        with LossyRelay(self.url, lost_answers=1) as relay, FlowHooks(relay.url, self.key) as producer:
            results = producer.publish_batch(events)
        self.assertEqual(relay.requests, 2)
        self.assertCountEqual(self.recorded(100), [result["id"] for result in results])

    def test_of_many_events_waits_for_the_rate_limit_and_answers_each_in_order(self) -> None:
        events: list[NewFlowEvent] = [{"type": "order.paid", "id": str(n), "data": n} for n in range(1_500)]
        events[1_200] = {"type": "not a type", "id": "1200", "data": 1}
        started = time.monotonic()
        results = self.producer.publish_batch(events)
        self.assertGreater(time.monotonic() - started, 1)
        self.assertEqual([result["id"] for result in results], [str(number) for number in range(1_500)])
        rejected = [result for result in results if result["status"] == "rejected"]
        self.assertEqual([(each["id"], each["error"]) for each in rejected], [("1200", "invalid_request")])
        self.recorded(1_499)

    def test_with_a_wrong_key_or_scope_is_an_error_with_the_code_of_the_service(self) -> None:
        with FlowHooks(self.url, "fh_wrong") as client, self.assertRaises(FlowHooksError) as raised:
            client.publish({"type": "order.paid", "data": 1})
        self.assertEqual((raised.exception.status, raised.exception.code), (401, "unauthenticated"))
        self.assertTrue(raised.exception.request_id)
        with self.assertRaises(FlowHooksError) as raised:
            self.producer.publish({"type": "order.paid", "orgId": "other", "data": 1})
        self.assertEqual((raised.exception.status, raised.exception.code), (403, "forbidden"))


class Subscribing(AgainstTheService):
    def test_is_once_for_a_hook_url_although_answers_were_lost_and_ends_with_unsubscribing(self) -> None:
        hook_url = self.listener.url + "/hook"
        with LossyRelay(self.url, lost_answers=1) as relay, FlowHooks(relay.url, self.key) as client:
            listener = client.subscribe(hook_url, "order.*", filter={"data": 1}, rate_per_second=5)
        again = self.producer.subscribe(hook_url, "order.*", filter={"data": 1}, rate_per_second=5)
        self.assertEqual((again["listenerId"], again["ratePerSecond"]), (listener["listenerId"], 5))
        self.producer.publish_batch([{"type": "order.paid", "data": number} for number in range(2)])
        (delivery,) = self.listener.received("/hook")
        self.assertEqual(verify(listener["signingSecret"], delivery.headers, delivery.body)["data"], 1)
        for _ in range(2):
            self.producer.unsubscribe(hook_url)
        self.assertEqual(list(self.producer.list_listeners(org_id=self.org_id)), [])

    def test_shows_what_a_key_is_for(self) -> None:
        found = self.producer.whoami()
        self.assertEqual((found["orgId"], found["role"], "flows:publish" in found["scopes"]), (self.org_id, None, True))
        self.assertEqual(self.operator.whoami()["role"], "owner")
        with FlowHooks(self.url, "fh_wrong") as client, self.assertRaises(FlowHooksError) as raised:
            client.whoami()
        self.assertEqual(raised.exception.code, "unauthenticated")


class Operating(AgainstTheService):
    def test_lists_flow_events_deliveries_and_listeners_over_all_pages(self) -> None:
        registered = {self.subscribe(f"/{number}")["listenerId"] for number in range(5)}
        self.producer.publish_batch([{"type": "order.paid", "id": str(n), "data": n} for n in range(3)])
        self.recorded(3)
        for number in range(5):
            self.listener.received(f"/{number}", 3)
        listeners = self.producer.list_listeners(org_id=self.org_id, page_size=2)
        self.assertEqual({each["listenerId"] for each in listeners}, registered)
        flows = self.operator.list_flow_events(org_id=self.org_id, type="order.*", page_size=2)
        self.assertCountEqual([each["eventId"] for each in flows], ["0", "1", "2"])
        deliveries = list(self.producer.list_deliveries(org_id=self.org_id, page_size=4))
        self.assertEqual((len(deliveries), {each["listenerId"] for each in deliveries}), (15, registered))
        some = self.producer.list_deliveries(org_id=self.org_id, listener_id=min(registered), event_id="1")
        self.assertEqual(len(list(some)), 1)

    def test_explains_why_each_listener_got_an_event_or_not(self) -> None:
        selected = self.subscribe("/orders", "order.*")["listenerId"]
        other = self.subscribe("/refunds", "refund.*")["listenerId"]
        self.producer.publish({"type": "order.paid", "id": "order/1 paid", "data": 1})
        self.listener.received("/orders")
        self.recorded(1)
        outcomes: dict[str, str] = {}
        ends = time.monotonic() + 30
        while outcomes.get(selected) != "delivered" and time.monotonic() < ends:
            explanation = self.operator.explain(org_id=self.org_id, event_id="order/1 paid")
            outcomes = {each["listenerId"]: each["outcome"] for each in explanation["items"]}
        self.assertEqual(outcomes, {selected: "delivered", other: "type-mismatch"})
        one = self.operator.explain(org_id=self.org_id, event_id="order/1 paid", listener_id=other)
        self.assertEqual([each["listenerId"] for each in one["items"]], [other])
        with self.assertRaises(FlowHooksError) as raised:
            self.operator.explain(org_id=self.org_id, event_id="unknown")
        self.assertEqual(raised.exception.code, "flow_event_not_found")

    def test_finds_flow_events_of_any_id(self) -> None:
        ids = ["..", ".", "a/b", "a?b#c d%20e", "ä…"]
        self.producer.publish_batch([{"type": "order.paid", "id": id, "data": 1} for id in ids])
        self.recorded(len(ids))
        for id in ids:
            found = self.operator.api.show_flow_event(id, {"orgId": self.org_id})
            self.assertEqual(found["eventId"], id)

    def test_replays_past_events_to_a_new_listener(self) -> None:
        self.producer.publish_batch([{"type": "order.paid", "id": str(n), "data": n} for n in range(3)])
        self.recorded(3)
        listener = self.subscribe("/late")
        started = self.operator.replay(org_id=self.org_id, listener_id=listener["listenerId"], type="order.*")
        again = self.operator.replay(
            org_id=self.org_id, listener_id=listener["listenerId"], type="order.*", id=started["id"]
        )
        self.assertEqual(again["id"], started["id"])
        replay = self.operator.wait_for_replay(started["id"], poll=0.05, timeout=30)
        self.assertEqual((replay["state"], replay["enqueued"]), ("completed", 3))
        received = self.listener.received("/late", 3)
        events = [verify(listener["signingSecret"], each.headers, each.body) for each in received]
        self.assertCountEqual([event["id"] for event in events], ["0", "1", "2"])

    def test_cancels_a_replay(self) -> None:
        self.producer.publish_batch([{"type": "order.paid", "data": n} for n in range(20)])
        self.recorded(20)
        listener = self.subscribe("/late")
        replay = self.operator.replay(
            org_id=self.org_id, listener_id=listener["listenerId"], type="*", rate_per_second=0.1
        )
        self.assertEqual(self.operator.cancel_replay(replay["id"])["state"], "cancelled")
        self.assertEqual(self.operator.cancel_replay(replay["id"])["state"], "cancelled")
        self.assertEqual(self.operator.wait_for_replay(replay["id"])["state"], "cancelled")
