from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, cast
from uuid import uuid4

import urllib3

from .answers import Answer
from .api import types
from .api.routes import Routes
from .batches import publish_all, unresolved
from .errors import FlowHooksError
from .events import BatchResult, Instant, NewFlowEvent, Published
from .paths import quoted
from .serialise import body_of, options_of, prepare
from .transport import Transport


class FlowHooks:
    """Publishes flow events, and operates their deliveries. Threads may share a client; a forked process makes its own.

    `url`: of the service, such as `https://hooks.example.com`. `key`: an API key, an admin key or an access token.
    `timeout`: seconds for an attempt. `retries`: further attempts after a failure that may be temporary, of requests
    that have the same effect when they are sent again. `deadline`: seconds for a request with all attempts and the
    waits between them. `pool`: sends the requests, for a proxy or an own certificate authority (urllib3's
    `ProxyManager` or `PoolManager`).

    All methods raise FlowHooksError.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        timeout: float = 30.0,
        retries: int = 4,
        deadline: float = 120.0,
        pool: urllib3.PoolManager | None = None,
    ) -> None:
        self._transport = Transport(url, key, timeout=timeout, retries=retries, deadline=deadline, pool=pool)
        self.api = Routes(self._send_to_route)
        """A method for each route of the API. It repeats only a GET."""

    def __repr__(self) -> str:
        return f"FlowHooks({self._transport.url!r})"

    def __enter__(self) -> FlowHooks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections, unless they are of a `pool` that was given."""
        self._transport.close()

    def publish(self, event: NewFlowEvent) -> Published:
        """Publishes a flow event. Every attempt has the same id, so the event is recorded once.

        An error has `results` with the id, unless nothing was sent: publish the event again with that id.
        """
        try:
            prepared = prepare(event)
        except ValueError as error:
            raise FlowHooksError("invalid_event", f"the event is no JSON: {error}") from error
        try:
            answer = self._post("/api/flows", prepared.json)
            published: Published = {"id": answer.json("id")["id"]}
        except FlowHooksError as error:
            error.results = unresolved([prepared], error.outcome)
            raise
        warning = answer.headers.get("flow-hooks-warning")
        return {**published, "warning": warning} if warning else published

    def publish_batch(self, events: Iterable[NewFlowEvent]) -> list[BatchResult]:
        """Publishes any number of flow events. Returns a result for each, in order.

        Rejected events are results too. An error has `results`, in which events of `unknown` status may be recorded, and
        those that are `not_recorded` are not: publish both again with these ids.
        """
        return publish_all(events, lambda body: self._post("/api/flows/batch", body))

    def whoami(self) -> types.WhoamiAnswer:
        """What the key is for: who is calling, the organisation (None: all), and the scopes."""
        return cast(types.WhoamiAnswer, self._get("/whoami").json("actor", "scopes"))

    def subscribe(
        self,
        hook_url: str,
        subscription_type: str,
        *,
        org_id: str | None = None,
        user_id: str | None = None,
        filter: Mapping[str, Any] | None = None,
        transform: str | None = None,
        ordered: bool | None = None,
        rate_per_second: float | None = None,
        description: str | None = None,
        signed_with_key_pair: bool | None = None,
    ) -> types.SubscribeAnswer:
        """Registers a listener, to which the flow events of its subscription are delivered. The answer has its signing secret.

        The same again changes nothing, another subscription of the hook URL replaces the one before. For access tokens
        and API keys; `org_id` is needed with a token, and with a key for every organisation, `user_id` with a token.
        """
        options = {
            "ordered": ordered,
            "ratePerSecond": rate_per_second,
            "description": description,
            "signedWithKeyPair": signed_with_key_pair,
        }
        subscription = {"subscriptionType": subscription_type, "filter": filter, "transform": transform, **options}
        body = body_of(options_of({"hookUrl": hook_url, **subscription}))
        answer = self._post("/api/hooks/subscribe/flows", body, identity(org_id, user_id))
        return cast(types.SubscribeAnswer, answer.json("listenerId", "signingSecret"))

    def unsubscribe(self, hook_url: str, *, org_id: str | None = None, user_id: str | None = None) -> None:
        """Removes the listener of a hook URL: afterwards, no delivery to it starts. A repeat changes nothing."""
        body = body_of({"hookUrl": hook_url})
        self._post("/api/hooks/unsubscribe/flows", body, identity(org_id, user_id)).json("success")

    def list_deliveries(
        self,
        *,
        org_id: str,
        listener_id: str | None = None,
        event_id: str | None = None,
        replay: str | None = None,
        type: str | None = None,
        from_: Instant | None = None,
        to: Instant | None = None,
        state: types.DeliveryState | None = None,
        page_size: int = 100,
    ) -> Iterator[types.Delivery]:
        """The deliveries of an organisation, those of the latest flow events first. Pages are requested one by one."""
        ids = {"orgId": org_id, "listenerId": listener_id, "eventId": event_id, "replay": replay}
        query = options_of({**ids, "type": type, "from": from_, "to": to, "state": state, "limit": page_size})
        return self._items("/admin/api/deliveries", query)

    def list_flow_events(
        self,
        *,
        org_id: str,
        type: str | None = None,
        from_: Instant | None = None,
        to: Instant | None = None,
        page_size: int = 100,
    ) -> Iterator[types.ListedFlowEvent]:
        """The flow events of an organisation, the latest first. Pages are requested one by one."""
        query = options_of({"orgId": org_id, "type": type, "from": from_, "to": to, "limit": page_size})
        return self._items("/admin/api/flows", query)

    def list_listeners(self, *, org_id: str, page_size: int = 100) -> Iterator[types.Listener]:
        """The listeners of an organisation, active and paused. Pages are requested one by one."""
        return self._items("/admin/api/listeners", {"orgId": org_id, "limit": page_size})

    def explain(
        self, *, org_id: str, event_id: str, listener_id: str | None = None, hook_url: str | None = None
    ) -> types.Explanation:
        """Why each listener of the organisation, or one, got the flow event or not. It has all pages: `next` is None."""
        path = f"/admin/api/flows/{quoted(event_id)}/explain"
        body = options_of({"orgId": org_id, "listenerId": listener_id, "hookUrl": hook_url})
        items: list[types.ExplainedListener] = []
        while True:
            page: types.Explanation = self._post(path, body_of(body)).page("event")
            items += page["items"]
            if page["next"] is None:
                return {**page, "items": items}
            body["after"] = page["next"]

    def replay(
        self,
        *,
        org_id: str,
        listener_id: str | None = None,
        hook_url: str | None = None,
        from_: Instant | None = None,
        to: Instant | None = None,
        type: str | None = None,
        event_id: str | None = None,
        rate_per_second: float | None = None,
        id: str | None = None,
    ) -> types.Replay:
        """Sends past flow events to one listener again. `id`: a UUID; repeats with it start no second replay."""
        listener = {"orgId": org_id, "listenerId": listener_id, "hookUrl": hook_url, "ratePerSecond": rate_per_second}
        selected = {"from": from_, "to": to, "type": type, "eventId": event_id}
        body = options_of({"id": id or str(uuid4()), **listener, **selected})
        return cast(types.Replay, self._post("/admin/api/replays", body_of(body)).json("id"))

    def wait_for_replay(
        self,
        id: str,
        *,
        poll: float = 1.0,
        timeout: float | None = None,
        on_progress: Callable[[types.Replay], object] | None = None,
    ) -> types.Replay:
        """Waits until the replay is `completed` (all its deliveries are enqueued, listeners may still have to answer), or
        `cancelled`.

        `poll`: seconds between two looks. `on_progress` is called with the replay after each. `timeout`: in seconds;
        then the error is `timeout`, and the replay continues.
        """
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            replay: types.Replay = self._get(f"/admin/api/replays/{quoted(id)}").json("state")
            if on_progress:
                on_progress(replay)
            if replay["state"] != "running":
                return replay
            if ends is not None and time.monotonic() + poll > ends:
                raise FlowHooksError("timeout", f"the replay is still running, at {replay['percent']} %")
            time.sleep(poll)

    def cancel_replay(self, id: str) -> types.CancelledReplay:
        """Cancels the waiting deliveries of a replay. A repeat changes nothing."""
        return cast(types.CancelledReplay, self._post(f"/admin/api/replays/{quoted(id)}/cancel").json("state"))

    def _items(self, path: str, query: dict[str, Any]) -> Iterator[Any]:
        after: str | None = None
        while True:
            page = self._get(path, query if after is None else {**query, "after": after}).page()
            yield from page["items"]
            after = page["next"]
            if after is None:
                return

    def _get(self, path: str, query: Mapping[str, Any] | None = None) -> Answer:
        return self._transport.send("GET", path, query=query, repeat=True)

    def _post(self, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Answer:
        """For requests that have the same effect when they are sent again."""
        return self._transport.send("POST", path, headers=headers, body=body, repeat=True)

    def _send_to_route(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
        raw: bool = False,
    ) -> Any:
        content = body if body is None or isinstance(body, bytes) else body_of(body)
        answer = self._transport.send(
            method,
            path,
            query=options_of(query or {}),
            headers=headers,
            body=content,
            body_type="application/octet-stream" if isinstance(body, bytes) else "application/json",
            repeat=method == "GET",
        )
        return answer.body if raw else answer.json()


def identity(org_id: str | None, user_id: str | None) -> dict[str, str]:
    """The headers that name who subscribes."""
    return {name: value for name, value in (("orgid", org_id), ("userid", user_id)) if value is not None}
