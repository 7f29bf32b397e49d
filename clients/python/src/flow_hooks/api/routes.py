# Made from /openapi.json by tools/generate.py. Do not edit.
# mypy: disable-error-code="no-any-return"
"""A method for each route that an API key or an admin key may call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..paths import quoted
from . import types


class Send(Protocol):
    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, Any] | None = None,
        body: Any = None,
        raw: bool = False,
    ) -> Any: ...


class Routes:
    """A method for each route, with the name that the API description gives it.

    `POST /admin/api/replays/{id}/cancel` is `cancel_replay`.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

    def check_token(
        self,
        query: types.CheckTokenQuery | None = None,
        headers: types.CheckTokenHeaders | None = None,
    ) -> types.CheckTokenAnswer:
        """Check a token. Accepts an access token, an API key, an admin key, or an identity token of a trusted issuer
        (`TRUSTED_ISSUERS`). With `orgid`, `userid` or `scope`, it is refused if it is for another organisation or user,
        or lacks a scope. `POST /introspect` says what a token is for.

        Credentials: an access token, or an API key, or an admin key with the role `viewer`.
        """
        return self._send("GET", "/test", query=query, headers=headers)

    def whoami(self, headers: types.WhoamiHeaders | None = None) -> types.WhoamiAnswer:
        """Show what the credentials are for. Caller, organisation and permissions of an access token, an API key or an
        admin key.

        Credentials: an access token, or an API key, or an admin key with the role `viewer`.
        """
        return self._send("GET", "/whoami", headers=headers)

    def introspect_token(self, body: types.IntrospectTokenRequest) -> types.IntrospectTokenAnswer:
        """Show the state of a token. [RFC 7662](https://www.rfc-editor.org/rfc/rfc7662). An admin key may ask for every
        token and API key, a client with a secret for its own tokens, an API key for itself.

        Credentials: an admin key with the role `viewer`, or an API key, or client credentials.
        """
        return self._send("POST", "/introspect", body=body)

    def subscribe(
        self,
        body: types.SubscribeRequest,
        headers: types.SubscribeHeaders | None = None,
    ) -> types.SubscribeAnswer:
        """Register a listener. Every flow event of the organisation that the `subscriptionType` selects is then delivered
        to the hook URL. A repeat with the same subscription gets the same answer, and changes nothing except that it
        resumes a paused listener. Another subscription replaces the present one, which is then in `replaced`, and
        resumes the listener too. Unknown fields are ignored.

        Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
        """
        return self._send("POST", "/api/hooks/subscribe/flows", body=body, headers=headers)

    def unsubscribe(
        self,
        body: types.UnsubscribeRequest,
        headers: types.UnsubscribeHeaders | None = None,
    ) -> types.UnsubscribeAnswer:
        """Remove a listener. After the answer, no delivery to the listener starts. A repeat for a removed listener gets
        the same answer; a hook URL that was never registered gets the error `listener_not_found`.

        Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
        """
        return self._send("POST", "/api/hooks/unsubscribe/flows", body=body, headers=headers)

    def publish_flow_event(
        self,
        body: types.EventToPublish,
        headers: types.PublishFlowEventHeaders | None = None,
    ) -> types.Published:
        """Publish a flow event. Every listener of the organisation whose `subscriptionType` selects the type receives it.
        Publishing again with the same `id` has no effect, so a request whose answer was lost can be repeated. The event
        may have at most `MAX_EVENT_BYTES`.

        CloudEvents 1.0 are accepted in structured mode, in binary mode (`ce-` headers beside any JSON or text), and as
        a batch, which is answered as `POST /api/flows/batch` answers.

        Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an
        admin key with the role `operator`.
        """
        return self._send("POST", "/api/flows", body=body, headers=headers)

    def publish_flow_events(
        self,
        body: types.PublishFlowEventsBody,
        headers: types.PublishFlowEventsHeaders | None = None,
    ) -> types.PublishedBatch:
        """Publish many flow events. At most 1000 events, and 4 MiB. The answer has a result for each event, in order;
        invalid events are rejected one by one. Newline-delimited JSON, an event in each line, is accepted too
        (application/x-ndjson, application/ndjson, application/jsonl); results then have the number of their line. After
        an error answer, some of the events may be stored: repeat the whole batch, with the same ids.

        Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an
        admin key with the role `operator`.
        """
        return self._send("POST", "/api/flows/batch", body=body, headers=headers)

    def list_sample_events(
        self,
        query: types.ListSampleEventsQuery | None = None,
        headers: types.ListSampleEventsHeaders | None = None,
    ) -> types.ListSampleEventsAnswer:
        """Show what listeners receive. Samples, each exactly as listeners receive them. A caller that identifies itself
        gets the latest flow events of its organisation, the latest first; if it has none, samples of the declared event
        types, else a static one; with `transform`, the results of the expression. Without accepted credentials the
        samples are static, for any query: platforms request them before a user has signed in.

        Credentials: none, or an access token with the scope `listeners`, or an API key with the scope `listeners:read`.
        """
        return self._send("GET", "/api/hooks/perform-list", query=query, headers=headers)

    def list_listeners(self, query: types.ListListenersQuery) -> types.ListListenersAnswer:
        """List the listeners of an organisation. Its current listeners, active and paused.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `listeners:read`.
        """
        return self._send("GET", "/admin/api/listeners", query=query)

    def subscribe_listener(self, body: types.SubscribeListenerRequest) -> types.SubscribedListener:
        """Register a listener, or change its subscription. Registers as a platform does. A listener at the same hook URL
        keeps its ID, and gets the subscription of the request; a paused one is resumed.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/listeners", body=body)

    def pause_listener(self, listener_id: str) -> types.ChangedListener:
        """Pause a listener. Its deliveries are held. A repeat changes nothing.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/pause")

    def resume_listener(
        self,
        listener_id: str,
        body: types.ResumeListenerRequest | None = None,
    ) -> types.ResumedListener:
        """Resume a listener. With `redeliverHeld` its held deliveries are made due too; otherwise they stay held until
        they are redelivered.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/resume", body=body)

    def rotate_listener_secret(
        self,
        listener_id: str,
        body: types.RotateListenerSecretRequest | None = None,
    ) -> types.ListenerWithSecret:
        """Rotate the signing secret of a listener. Deliveries are signed with both secrets for `overlapHours`.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/rotate-secret", body=body)

    def unsubscribe_listener(self, listener_id: str) -> types.ChangedListener:
        """Remove a listener. Its waiting and held deliveries are cancelled. Only the platform can register it again.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/unsubscribe")

    def test_listener(self, listener_id: str) -> types.TestDelivery:
        """Send a sample flow event to a listener. The event has the type that the listener subscribes to. It is attempted
        once.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/test")

    def try_listener(self, listener_id: str, body: types.TryListenerRequest) -> types.TriedEvent:
        """Show what a listener would receive of a flow event. Applies the subscription type, the filter and the
        transformation of the present listener. Nothing is sent or recorded.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/try", body=body)

    def search_listeners(self, body: types.SearchListenersRequest | None = None) -> types.SearchListenersAnswer:
        """Search listeners. Current listeners of all organisations or one, the latest registered first; in the state
        `ended`, removed ones. `troubled`: deliveries to them fail or wait. For a part of a URL, a limited number of
        listeners is examined for each page (`searched`): a page may be empty and have a next one. It is a POST because
        the hook URL is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/listeners/search", body=body)

    def show_listener(self, listener_id: str) -> types.ListenerDetail:
        """Show a listener. Current or ended. It reflects every change that has been answered.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/listeners/{quoted(listener_id)}")

    def show_listener_timeline(
        self,
        listener_id: str,
        query: types.ShowListenerTimelineQuery | None = None,
    ) -> types.ShowListenerTimelineAnswer:
        """List the changes of a listener. The latest first, of all listeners of its URL in the organisation, read from the
        events.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/listeners/{quoted(listener_id)}/timeline", query=query)

    def show_listener_as_of(self, listener_id: str, body: types.ShowListenerAsOfRequest) -> types.ListenerAsOf:
        """Show a listener at an instant. The listener of its URL at that time, read from the events. It changes nothing.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/as-of", body=body)

    def change_listener_options(
        self,
        listener_id: str,
        body: types.ChangeListenerOptionsRequest | None = None,
    ) -> types.ChangedListener:
        """Change order and rate of a listener. A field that is left out stays unchanged. The listener stays active or
        paused.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/options", body=body)

    def list_deliveries(self, query: types.ListDeliveriesQuery) -> types.ListDeliveriesAnswer:
        """List deliveries. An organisation's deliveries, those of the latest flow events first. A page may have fewer
        items than `limit`, and still have a next one. In a list with `from`, the deliveries of replays come last.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `deliveries:read`.
        """
        return self._send("GET", "/admin/api/deliveries", query=query)

    def count_deliveries(self) -> types.DeliveryCounts:
        """Count deliveries by state. Counts of all organisations together.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/deliveries/status")

    def show_delivery(self, id: str, query: types.ShowDeliveryQuery) -> types.DeliveryWithAttempts:
        """Show a delivery with its attempts. Credentials: an admin key with the role `viewer`, or an API key with the
        scope `deliveries:read`.
        """
        return self._send("GET", f"/admin/api/deliveries/{quoted(id)}", query=query)

    def redeliver_deliveries(self, body: types.RedeliverDeliveriesRequest) -> types.Redelivered:
        """Redeliver several deliveries. Makes deliveries due now. They are selected by `ids`, or by a filter, which
        selects dead letters if it names no `states`; one request takes one page. Deliveries whose listeners are paused
        or removed stay as they are.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/deliveries/redeliver", body=body)

    def redeliver_delivery(self, id: str, body: types.RedeliverDeliveryRequest) -> types.Delivery:
        """Redeliver a delivery. Makes it due now, in any state; the numbers of its attempts continue.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/deliveries/{quoted(id)}/redeliver", body=body)

    def show_stats(self, query: types.ShowStatsQuery) -> types.DeliveryStats:
        """Show the results of attempts by listener and by day. Days are in UTC, both included. Without `to` until today;
        without `from` the 30 days until `to`. Of one listener also by half hour.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/stats", query=query)

    def show_sent_request(self, id: str, query: types.ShowSentRequestQuery) -> types.SentRequest:
        """Show the request of a delivery. The request as it was sent at the latest attempt, without the hook URL and the
        signature. The body is the same at each attempt. Of a listener with a transformation, it is the event to which
        that is applied: its result is not kept.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/deliveries/{quoted(id)}/request", query=query)

    def list_flow_events(self, query: types.ListFlowEventsQuery) -> types.ListFlowEventsAnswer:
        """Search flow events. An organisation's flow events that the fan-out has processed, the latest first. `type`
        selects as a subscription type does (`flow.completed`, `flow.*`); `from` and `to` limit the time of recording. A
        page may have fewer items than `limit`, and still have a next one.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
        """
        return self._send("GET", "/admin/api/flows", query=query)

    def publish_flow_event_as_operator(
        self,
        body: types.PublishFlowEventAsOperatorRequest,
    ) -> types.PublishedByOperator:
        """Publish a flow event. Works as `POST /api/flows`, with its limits: it is recorded once for each organisation and
        `id`; publishing it again has no effect.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/flows", body=body)

    def show_flow_event(self, event_id: str, query: types.ShowFlowEventQuery) -> types.FlowEvent:
        """Show a flow event with its content. Credentials: an admin key with the role `viewer`, or an API key with the
        scope `flows:read`.
        """
        return self._send("GET", f"/admin/api/flows/{quoted(event_id)}", query=query)

    def explain_flow_event(self, event_id: str, body: types.ExplainFlowEventRequest) -> types.Explanation:
        """Explain the deliveries of a flow event. The outcome for each listener of an organisation, with its reason. It
        changes nothing; it is a POST because the hook URL is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
        """
        return self._send("POST", f"/admin/api/flows/{quoted(event_id)}/explain", body=body)

    def read_events(self, query: types.ReadEventsQuery) -> types.FeedPage:
        """Read the flow events of an organisation in order. Each event once, in the order of recording, from any position;
        the service keeps no state for a reader. A page may have fewer items than `limit`, or none. Where events were
        deleted or erased, an item says so. A cursor is for one organisation, and is valid as long as the master key
        that made it. An event that is published again with the same `id` in another flow can come twice.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`, or an access token
        with the scope `listeners`.
        """
        return self._send("GET", "/api/events", query=query)

    def try_subscription(self, body: types.TrySubscriptionRequest) -> types.TriedSubscription:
        """Try a filter and a transformation on past flow events. Applies a subscription to the flow events of the last
        `days`, as if it had been registered all that time. Nothing is sent or recorded. A page has at most 5,000
        events, 16 MiB of them, and a second of work: `next` continues.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
        """
        return self._send("POST", "/admin/api/listeners/try", body=body)

    def list_event_types(self, query: types.ListEventTypesQuery | None = None) -> types.ListEventTypesAnswer:
        """List the declared event types. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/event-types", query=query)

    def declare_event_type(self, body: types.DeclareEventTypeRequest) -> types.ChangedEventType:
        """Declare an event type. Declaring one that was retired continues its versions.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types", body=body)

    def show_event_type(self, query: types.ShowEventTypeQuery) -> types.EventType:
        """Show an event type. Also one that was retired.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/event-types/show", query=query)

    def show_event_type_timeline(self, query: types.ShowEventTypeTimelineQuery) -> types.ShowEventTypeTimelineAnswer:
        """List the changes of an event type. Its versions, the latest first, read from the events; also of one that was
        retired.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/event-types/timeline", query=query)

    def change_event_type(self, body: types.ChangeEventTypeRequest) -> types.ChangedEventType:
        """Change an event type. Makes its next version. Fields that are left out stay as they are.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types/change", body=body)

    def retire_event_type(self, body: types.RetireEventTypeRequest) -> types.ChangedEventType:
        """Retire an event type. The type is no longer offered to platforms, and data is no longer checked against it. Flow
        events of the type can still be published.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types/retire", body=body)

    def list_replays(self, query: types.ListReplaysQuery | None = None) -> types.ListReplaysAnswer:
        """List replays. Replays of all organisations, one, or one listener; in the order of their start, or the latest
        first.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/replays", query=query)

    def start_replay(self, body: types.StartReplayRequest) -> types.Replay:
        """Start a replay. Sends past flow events to one listener again: those recorded from `from` to `to` of a `type`, or
        the one of `eventId`. The listener is named by `listenerId` or `hookUrl`. A repeat with the same `id` starts no
        second replay.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/replays", body=body)

    def show_replay(self, id: str) -> types.Replay:
        """Show the progress of a replay. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", f"/admin/api/replays/{quoted(id)}")

    def cancel_replay(self, id: str) -> types.CancelledReplay:
        """Cancel a replay. Its waiting and held deliveries are cancelled; attempts in progress are completed.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/replays/{quoted(id)}/cancel")

    def show_history(self, body: types.ShowHistoryRequest) -> types.ShowHistoryAnswer:
        """List every change to an organisation's listeners, in order. It changes nothing; it is a POST because a hook URL
        is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/history", body=body)

    def show_service_history(
        self,
        query: types.ShowServiceHistoryQuery | None = None,
    ) -> types.ShowServiceHistoryAnswer:
        """List changes to clients, keys and event types, and erasures, in order. Credentials: an admin key with the role
        `viewer`.
        """
        return self._send("GET", "/admin/api/audit/service-history", query=query)

    def show_as_of(self, body: types.ShowAsOfRequest) -> types.ShowAsOfAnswer:
        """Show an organisation's listeners at a time or position. It changes nothing; it is a POST because a hook URL is a
        capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/as-of", body=body)

    def show_difference(self, body: types.ShowDifferenceRequest) -> types.ShowDifferenceAnswer:
        """Compare an organisation at two times or positions. Its listeners, its integration task, its settings and its API
        keys, read from the events. It changes nothing; it is a POST because a hook URL is a capability and must not
        appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/difference", body=body)

    def show_organisation_settings(self, query: types.ShowOrganisationSettingsQuery) -> types.OrganisationSettings:
        """Show the settings of an organisation. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/organisations/settings", query=query)

    def change_organisation_settings(
        self,
        body: types.ChangeOrganisationSettingsRequest,
    ) -> types.ChangedOrganisationSettings:
        """Change the settings of an organisation. Fields that are left out stay as they are. Existing listeners do not
        change.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/organisations/settings", body=body)

    def erase_organisation(self, body: types.EraseOrganisationRequest) -> types.Erased:
        """Erase an organisation. Deletes all its data: listeners, deliveries, sessions, API keys, portal links and their
        sessions, replays and flow events. It cannot be undone. A repeat completes an interrupted erasure.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/organisations/erase", body=body)

    def list_organisations(self, query: types.ListOrganisationsQuery | None = None) -> types.ListOrganisationsAnswer:
        """List the organisations. Organisations with at least one listener, session, consent, task, setting or API key,
        now or in the past, in the order of their IDs. One that only publishes flow events is not listed.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/organisations", query=query)

    def create_portal_link(self, body: types.CreatePortalLinkRequest) -> types.CreatePortalLinkAnswer:
        """Make a link to the portal of an organisation. A company's back end requests a link for a user whom it has signed
        in, and opens it in a frame or a tab. Until it expires, the link opens one session: treat it as a password.
        `user` names the user in the history; without it the organisation is named.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/portal-links", body=body)

    def show_task(self, query: types.ShowTaskQuery | None = None) -> types.IntegrationTask:
        """Show the integration task in effect. The task of the organisation, else the default of the whole service.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/tasks", query=query)

    def register_task(self, body: types.RegisterTaskRequest | None = None) -> types.ChangedIntegrationTask:
        """Register an integration task. It allows new listeners once it is active.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/tasks/register", body=body)

    def activate_task(self, body: types.ActivateTaskRequest | None = None) -> types.ChangedIntegrationTask:
        """Activate an integration task. Credentials: an admin key with the role `operator`."""
        return self._send("POST", "/admin/api/tasks/activate", body=body)

    def deactivate_task(self, body: types.DeactivateTaskRequest | None = None) -> types.ChangedIntegrationTask:
        """Deactivate an integration task. New listeners are refused; existing listeners are unchanged.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/tasks/deactivate", body=body)

    def list_tasks(self, query: types.ListTasksQuery | None = None) -> types.ListTasksAnswer:
        """List the registered integration tasks. The default of the service, and those of organisations, in the order of
        their streams.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/tasks/registered", query=query)

    def list_sessions(self, query: types.ListSessionsQuery | None = None) -> types.ListSessionsAnswer:
        """List sessions. Sessions with all given properties. One that has expired is `active` until it is revoked or
        deleted. A page may have fewer items than `limit`, and still have a next one.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/sessions", query=query)

    def revoke_sessions(self, body: types.RevokeSessionsRequest | None = None) -> types.RevokeSessionsAnswer:
        """Revoke sessions. Names a session by `sessionId`, or several by one or more of `orgId`, `userId` and `clientId`.
        The answer lists the revoked sessions; `next` is the `after` of the next call.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/sessions/revoke", body=body)

    def list_consents(self, query: types.ListConsentsQuery) -> types.ListConsentsAnswer:
        """List the consents in an organisation. All of them, or with `userId` those of one user.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/consents", query=query)

    def withdraw_consent(self, id: str) -> types.ChangedConsent:
        """Withdraw a consent. The user is asked again at the next sign-in.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/consents/{quoted(id)}/withdraw")

    def list_clients(self) -> types.ListClientsAnswer:
        """List the registered clients. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/clients")

    def register_client(self, body: types.RegisterClientRequest) -> types.ChangedClient:
        """Register a client. The answer alone contains the generated `clientSecret`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/clients", body=body)

    def change_client(self, client_id: str, body: types.ChangeClientRequest | None = None) -> types.ChangedClient:
        """Change a client. Fields that are left out stay as they are.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/change", body=body)

    def rotate_client_secret(
        self,
        client_id: str,
        body: types.RotateClientSecretRequest | None = None,
    ) -> types.ChangedClient:
        """Rotate the secret of a client. The answer alone contains the generated `clientSecret`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/rotate-secret", body=body)

    def end_previous_client_secret(self, client_id: str) -> types.ChangedClient:
        """End the previous secret of a client. From then on only the current secret is accepted.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/end-previous-secret")

    def remove_client(self, client_id: str) -> types.RemovedClient:
        """Remove a client. Its users cannot sign in or refresh their tokens any more.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/remove")

    def list_api_keys(self, query: types.ListApiKeysQuery | None = None) -> types.ListApiKeysAnswer:
        """List API keys. All of them, or with `orgId` those of one organisation.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/api-keys", query=query)

    def create_api_key(self, body: types.CreateApiKeyRequest) -> types.CreatedApiKey:
        """Create an API key. The answer alone contains the key, in `key`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/api-keys", body=body)

    def revoke_api_key(self, id: str) -> types.ChangedApiKey:
        """Revoke an API key. It is refused at once on every instance. A repeat changes nothing.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/api-keys/{quoted(id)}/revoke")

    def list_views(self) -> types.ListViewsAnswer:
        """List the views. The position of each view, and its running or unfinished rebuild.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/views")

    def show_view(self, name: str) -> types.View:
        """Show a view. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", f"/admin/api/views/{quoted(name)}")

    def rebuild_view(self, name: str, body: types.RebuildViewRequest | None = None) -> types.View:
        """Start a rebuild of a view. Runs on this instance, in the background. The live view is used until the new build
        takes over.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/views/{quoted(name)}/rebuild", body=body)

    def cancel_rebuild(self, name: str) -> types.CancelledRebuild:
        """Cancel the rebuild of a view. Works on any instance. The live view is unchanged.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/views/{quoted(name)}/cancel")

    def skip_event(self, name: str, body: types.SkipEventRequest) -> types.SkippedEvent:
        """Leave an event out of a view. Serves for an event that stops the view. A view that has handled it keeps the
        result until it is rebuilt.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/views/{quoted(name)}/skip", body=body)

    def start_verification(self, name: str) -> types.Verification:
        """Verify a view on this instance. Folds all events again, into a temporary directory of this instance, and
        compares the documents with those of the live view.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/views/{quoted(name)}/verify")

    def show_verification(self, name: str) -> types.Verification:
        """Show the running verification of a view, and the last result. Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/views/{quoted(name)}/verification")

    def list_set_aside(self, query: types.ListSetAsideQuery | None = None) -> types.ListSetAsideAnswer:
        """List the set-aside events. Events that the fan-out could not decode, in the order of their positions.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/set-aside", query=query)

    def retry_set_aside(self, body: types.RetrySetAsideRequest | None = None) -> types.RetrySetAsideAnswer:
        """Retry set-aside events. One (`stream` and `revision`), or a page of all; `next` in the answer is the `after` of
        the next request.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/set-aside/retry", body=body)

    def show_activity(self, query: types.ShowActivityQuery | None = None) -> types.Activity:
        """Show the activity of the service by minute. Activity of all organisations and instances together: the latest
        minutes, of which the last is the current one. The activity of a day is kept.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/activity", query=query)

    def list_listeners_in_trouble(
        self,
        query: types.ListListenersInTroubleQuery | None = None,
    ) -> types.ListListenersInTroubleAnswer:
        """List listeners whose deliveries do not get through. Listeners of all organisations: first those whose circuit
        breaker is open (`breaker`), then listeners that failed until they were paused (`paused`), then listeners with
        deliveries that are due for more than a minute (`overdue`), the longest first. A listener that waits for its own
        rate is not in trouble.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/listeners-in-trouble", query=query)

    def list_backlog(self, query: types.ListBacklogQuery | None = None) -> types.ListBacklogAnswer:
        """Count waiting and held deliveries by listener. Listeners of an organisation or of all, those with the most
        first.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/backlog", query=query)

    def show_service(self) -> types.Service:
        """Show the state of this instance. The instance that answers: its version, its tasks, and whether each part of it
        is ready. Without any secret.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/service")

    def list_keys(self) -> types.ListKeysAnswer:
        """List the signing keys and master keys. Keys of this instance and of the record, without key material.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/keys")

    def list_operational_types(self) -> types.ListOperationalTypesAnswer:
        """List the types of operational events. The types of events that the service publishes for its operators, with the
        schema and an example of the data of each type.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/operations/event-types")

    def subscribe_operations(self, body: types.SubscribeOperationsRequest) -> types.OperationalListener:
        """Subscribe to operational events. Registers a listener of the organisation `flow-hooks.operations`, which gets
        the operational events of all organisations. The subscription type names one type, or a prefix such as
        `listener.*`. The listener is operated as any other.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/operations/subscribe", body=body)

    def make_seal(self) -> bytes:
        """Make a seal of the history. A signed digest of every listener, session, API key and consent up to now, by which
        later changes are found. The whole history is read before the answer begins, at about 50,000 events a second;
        one seal at a time on each instance.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/audit/seals", raw=True)

    def check_seal(self, body: bytes, query: types.CheckSealQuery | None = None) -> types.SealCheck:
        """Compare the history with a seal. The body is the file of a seal, at most 256 MiB. It changes nothing.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/audit/seals/check", body=body, query=query)
