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
    """A method for each route, named after its HTTP method and path.

    `POST /admin/api/replays/{id}/cancel` is `post_admin_api_replays_by_id_cancel`.
    """

    def __init__(self, send: Send) -> None:
        self._send = send

    def get_test(
        self,
        query: types.GetTestQuery | None = None,
        headers: types.GetTestHeaders | None = None,
    ) -> types.GetTestAnswer:
        """Check a token. Accepts an access token, an API key, an admin key, or an identity token of a trusted issuer
        (`TRUSTED_ISSUERS`). With `orgid`, `userid` or `scope`, it is refused if it is for another organisation or user,
        or lacks a scope. `POST /introspect` says what a token is for.

        Credentials: an access token, or an API key, or an admin key with the role `viewer`.
        """
        return self._send("GET", "/test", query=query, headers=headers)

    def get_whoami(self, headers: types.GetWhoamiHeaders | None = None) -> types.GetWhoamiAnswer:
        """Show what the credentials are for. Of an access token, an API key or an admin key: who is calling, for which
        organisation, and what is permitted.

        Credentials: an access token, or an API key, or an admin key with the role `viewer`.
        """
        return self._send("GET", "/whoami", headers=headers)

    def post_introspect(self, body: types.PostIntrospectBody) -> types.PostIntrospectAnswer:
        """Show the state of a token. [RFC 7662](https://www.rfc-editor.org/rfc/rfc7662). An admin key may ask for every
        token and API key, a client with a secret for its own tokens, an API key for itself.

        Credentials: an admin key with the role `viewer`, or an API key, or client credentials.
        """
        return self._send("POST", "/introspect", body=body)

    def post_api_hooks_subscribe_flows(
        self,
        body: types.PostApiHooksSubscribeFlowsBody,
        headers: types.PostApiHooksSubscribeFlowsHeaders | None = None,
    ) -> types.PostApiHooksSubscribeFlowsAnswer:
        """Register a listener. Every flow event of the organisation that the `subscriptionType` selects is then delivered
        to the hook URL. Registering the same again changes nothing and is answered alike; another subscription replaces
        the one before, which `replaced` then has. Unknown fields are ignored.

        Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
        """
        return self._send("POST", "/api/hooks/subscribe/flows", body=body, headers=headers)

    def post_api_hooks_unsubscribe_flows(
        self,
        body: types.PostApiHooksUnsubscribeFlowsBody,
        headers: types.PostApiHooksUnsubscribeFlowsHeaders | None = None,
    ) -> types.PostApiHooksUnsubscribeFlowsAnswer:
        """Remove a listener. After the answer, no delivery to the listener starts. A listener that has been removed is
        answered alike; one that was never registered is the error `listener_not_found`.

        Credentials: an access token with the scope `listeners`, or an API key with the scope `listeners:write`.
        """
        return self._send("POST", "/api/hooks/unsubscribe/flows", body=body, headers=headers)

    def post_api_flows(
        self,
        body: types.PostApiFlowsBody,
        headers: types.PostApiFlowsHeaders | None = None,
    ) -> types.PostApiFlowsAnswer:
        """Publish a flow event. Every listener of the organisation whose `subscriptionType` selects the type receives it.
        Publishing again with the same `id` has no effect, so a request whose answer was lost can be repeated. The event
        may have at most `MAX_EVENT_BYTES`.

        CloudEvents 1.0 are accepted in structured mode, in binary mode (`ce-` headers beside any JSON or text), and as
        a batch, which is answered as `POST /api/flows/batch` answers.

        Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an
        admin key with the role `operator`.
        """
        return self._send("POST", "/api/flows", body=body, headers=headers)

    def post_api_flows_batch(
        self,
        body: types.PostApiFlowsBatchBody,
        headers: types.PostApiFlowsBatchHeaders | None = None,
    ) -> types.PublishedBatch:
        """Publish many flow events. At most 1000 events, and 4 MiB. The answer has a result for each event, in order;
        invalid events are rejected one by one. Newline-delimited JSON, an event in each line, is accepted too
        (application/x-ndjson, application/ndjson, application/jsonl); results then have the number of their line. After
        an error answer nothing is certain to be stored: repeat the whole batch, with the same ids.

        Credentials: an API key with the scope `flows:publish`, or an access token with the scope `flows:publish`, or an
        admin key with the role `operator`.
        """
        return self._send("POST", "/api/flows/batch", body=body, headers=headers)

    def get_api_hooks_perform_list(
        self,
        query: types.GetApiHooksPerformListQuery | None = None,
        headers: types.GetApiHooksPerformListHeaders | None = None,
    ) -> types.GetApiHooksPerformListAnswer:
        """Show what listeners receive. Samples, each exactly as listeners receive them. A caller that identifies itself
        gets the latest flow events of its organisation, the latest first; if it has none, samples of the declared event
        types, else a static one; with `transform`, the results of the expression. Without accepted credentials the
        samples are static, for any query: platforms request them before a user has signed in.

        Credentials: none, or an access token with the scope `listeners`, or an API key with the scope `listeners:read`.
        """
        return self._send("GET", "/api/hooks/perform-list", query=query, headers=headers)

    def get_admin_api_listeners(self, query: types.GetAdminApiListenersQuery) -> types.GetAdminApiListenersAnswer:
        """List the listeners of an organisation. Its current listeners, active and paused.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `listeners:read`.
        """
        return self._send("GET", "/admin/api/listeners", query=query)

    def post_admin_api_listeners(self, body: types.PostAdminApiListenersBody) -> types.SubscribedListener:
        """Register a listener, or change its subscription. As a platform does. A listener at the same hook URL keeps its
        ID, and gets the subscription of the request; a paused one is resumed.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/listeners", body=body)

    def post_admin_api_listeners_by_listener_id_pause(self, listener_id: str) -> types.ChangedListener:
        """Pause a listener. Its deliveries are held. A repeat changes nothing.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/pause")

    def post_admin_api_listeners_by_listener_id_resume(
        self,
        listener_id: str,
        body: types.PostAdminApiListenersByListenerIdResumeBody | None = None,
    ) -> types.ResumedListener:
        """Resume a listener. With `redeliverHeld` its held deliveries are made due too; otherwise they stay held until
        they are redelivered.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/resume", body=body)

    def post_admin_api_listeners_by_listener_id_rotate_secret(
        self,
        listener_id: str,
        body: types.PostAdminApiListenersByListenerIdRotateSecretBody | None = None,
    ) -> types.ListenerWithSecret:
        """Rotate the signing secret of a listener. Deliveries are signed with both secrets for `overlapHours`.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/rotate-secret", body=body)

    def post_admin_api_listeners_by_listener_id_unsubscribe(self, listener_id: str) -> types.ChangedListener:
        """Remove a listener. Its waiting and held deliveries are cancelled. Only the platform can register it again.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/unsubscribe")

    def post_admin_api_listeners_by_listener_id_test(self, listener_id: str) -> types.TestDelivery:
        """Send a sample flow event to a listener. The event has the type that the listener subscribes to. It is attempted
        once.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/test")

    def post_admin_api_listeners_by_listener_id_try(
        self,
        listener_id: str,
        body: types.PostAdminApiListenersByListenerIdTryBody,
    ) -> types.TriedEvent:
        """Show what a listener would receive of a flow event. Applies the subscription type, the filter and the
        transformation of the present listener. Nothing is sent or recorded.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/try", body=body)

    def post_admin_api_listeners_search(
        self,
        body: types.PostAdminApiListenersSearchBody | None = None,
    ) -> types.PostAdminApiListenersSearchAnswer:
        """Search listeners. Current listeners of all organisations or one, the latest registered first; in the state
        `ended`, removed ones. `troubled`: deliveries to them fail or wait. For a part of a URL, a limited number of
        listeners is examined for each page (`searched`): a page may be empty and have a next one. It is a POST because
        the hook URL is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/listeners/search", body=body)

    def get_admin_api_listeners_by_listener_id(self, listener_id: str) -> types.ListenerDetail:
        """Show a listener. Current or ended. It reflects every change that has been answered.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/listeners/{quoted(listener_id)}")

    def get_admin_api_listeners_by_listener_id_timeline(
        self,
        listener_id: str,
        query: types.GetAdminApiListenersByListenerIdTimelineQuery | None = None,
    ) -> types.GetAdminApiListenersByListenerIdTimelineAnswer:
        """List the changes of a listener. The latest first, of all listeners of its URL in the organisation, read from the
        events.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/listeners/{quoted(listener_id)}/timeline", query=query)

    def post_admin_api_listeners_by_listener_id_as_of(
        self,
        listener_id: str,
        body: types.PostAdminApiListenersByListenerIdAsOfBody,
    ) -> types.ListenerAsOf:
        """Show a listener at an instant. The listener of its URL at that time, read from the events. It changes nothing.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/as-of", body=body)

    def post_admin_api_listeners_by_listener_id_options(
        self,
        listener_id: str,
        body: types.PostAdminApiListenersByListenerIdOptionsBody | None = None,
    ) -> types.ChangedListener:
        """Change order and rate of a listener. A field that is left out stays unchanged. The listener stays active or
        paused.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/listeners/{quoted(listener_id)}/options", body=body)

    def get_admin_api_deliveries(self, query: types.GetAdminApiDeliveriesQuery) -> types.GetAdminApiDeliveriesAnswer:
        """List deliveries. An organisation's deliveries, those of the latest flow events first. A page may have fewer
        items than `limit`, and still have a next one. In a list from a time on, the deliveries of replays come last.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `deliveries:read`.
        """
        return self._send("GET", "/admin/api/deliveries", query=query)

    def get_admin_api_deliveries_status(self) -> types.DeliveryCounts:
        """Count deliveries by state. Of all organisations together.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/deliveries/status")

    def get_admin_api_deliveries_by_id(
        self,
        id: str,
        query: types.GetAdminApiDeliveriesByIdQuery,
    ) -> types.DeliveryWithAttempts:
        """Show a delivery with its attempts. Credentials: an admin key with the role `viewer`, or an API key with the
        scope `deliveries:read`.
        """
        return self._send("GET", f"/admin/api/deliveries/{quoted(id)}", query=query)

    def get_admin_api_deliveries_by_id_request(
        self,
        id: str,
        query: types.GetAdminApiDeliveriesByIdRequestQuery,
    ) -> types.SentRequest:
        """Show the request of a delivery. As it was sent at the latest attempt, without the hook URL and the signature.
        The body is the same at each attempt. Of a listener with a transformation, it is the event to which that is
        applied: its result is not kept.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/deliveries/{quoted(id)}/request", query=query)

    def post_admin_api_deliveries_redeliver(self, body: types.PostAdminApiDeliveriesRedeliverBody) -> types.Redelivered:
        """Redeliver several deliveries. Makes deliveries due now. They are selected by `ids`, or by a filter, which
        selects dead letters if it names no `states`; one request takes one page. Deliveries whose listeners are paused
        or removed stay as they are.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/deliveries/redeliver", body=body)

    def post_admin_api_deliveries_by_id_redeliver(
        self,
        id: str,
        body: types.PostAdminApiDeliveriesByIdRedeliverBody,
    ) -> types.Delivery:
        """Redeliver a delivery. Makes it due now, in any state; the numbers of its attempts continue.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/deliveries/{quoted(id)}/redeliver", body=body)

    def get_admin_api_stats(self, query: types.GetAdminApiStatsQuery) -> types.DeliveryStats:
        """Show the results of attempts by listener and by day. Days are in UTC, both included. Without `to` until today;
        without `from` the 30 days until `to`. Of one listener also by half hour.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/stats", query=query)

    def get_admin_api_flows(self, query: types.GetAdminApiFlowsQuery) -> types.GetAdminApiFlowsAnswer:
        """Search flow events. An organisation's flow events that the fan-out has processed, the latest first. `type`
        selects as a subscription type does (`flow.completed`, `flow.*`); `from` and `to` are about when they were
        recorded. A page may have fewer items than `limit`, and still have a next one.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
        """
        return self._send("GET", "/admin/api/flows", query=query)

    def post_admin_api_flows(self, body: types.PostAdminApiFlowsBody) -> types.PublishedByOperator:
        """Publish a flow event. As `POST /api/flows`, with the limits of that: it is recorded once for each organisation
        and `id`; publishing it again has no effect.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/flows", body=body)

    def get_admin_api_flows_by_event_id(
        self,
        event_id: str,
        query: types.GetAdminApiFlowsByEventIdQuery,
    ) -> types.FlowEvent:
        """Show a flow event with its content. Credentials: an admin key with the role `viewer`, or an API key with the
        scope `flows:read`.
        """
        return self._send("GET", f"/admin/api/flows/{quoted(event_id)}", query=query)

    def post_admin_api_flows_by_event_id_explain(
        self,
        event_id: str,
        body: types.PostAdminApiFlowsByEventIdExplainBody,
    ) -> types.Explanation:
        """Explain the deliveries of a flow event. The outcome for each listener of an organisation, with its reason. It
        changes nothing; it is a POST because the hook URL is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`, or an API key with the scope `flows:read`.
        """
        return self._send("POST", f"/admin/api/flows/{quoted(event_id)}/explain", body=body)

    def post_admin_api_forwardings(self, body: types.PostAdminApiForwardingsBody) -> types.Forwarding:
        """Begin to forward flow events to the command line. For `flow-hooks listen --forward-to`: the flow events that are
        recorded from now on, as a listener would get them. Nothing is posted; the caller fetches the requests. It is in
        the history of the organisation.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/forwardings", body=body)

    def post_admin_api_forwardings_by_id_next(
        self,
        id: str,
        body: types.PostAdminApiForwardingsByIdNextBody,
    ) -> types.ForwardedRequests:
        """Fetch the next requests of a forwarding. Waits for the first. The same `after` gives the same flow events again,
        at any instance, with new signatures. It extends the forwarding.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/forwardings/{quoted(id)}/next", body=body)

    def post_admin_api_forwardings_by_id_end(
        self,
        id: str,
        body: types.PostAdminApiForwardingsByIdEndBody,
    ) -> types.EndedForwarding:
        """End a forwarding. A repeat changes nothing.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/forwardings/{quoted(id)}/end", body=body)

    def get_admin_api_event_types(
        self,
        query: types.GetAdminApiEventTypesQuery | None = None,
    ) -> types.GetAdminApiEventTypesAnswer:
        """List the declared event types. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/event-types", query=query)

    def post_admin_api_event_types(self, body: types.PostAdminApiEventTypesBody) -> types.ChangedEventType:
        """Declare an event type. Declaring one that was retired continues its versions.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types", body=body)

    def get_admin_api_event_types_show(self, query: types.GetAdminApiEventTypesShowQuery) -> types.EventType:
        """Show an event type. Also one that was retired.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/event-types/show", query=query)

    def get_admin_api_event_types_timeline(
        self,
        query: types.GetAdminApiEventTypesTimelineQuery,
    ) -> types.GetAdminApiEventTypesTimelineAnswer:
        """List the changes of an event type. Its versions, the latest first, read from the events; also of one that was
        retired.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/event-types/timeline", query=query)

    def post_admin_api_event_types_change(self, body: types.PostAdminApiEventTypesChangeBody) -> types.ChangedEventType:
        """Change an event type. Makes its next version. Fields that are left out stay as they are.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types/change", body=body)

    def post_admin_api_event_types_retire(self, body: types.PostAdminApiEventTypesRetireBody) -> types.ChangedEventType:
        """Retire an event type. It is no longer offered and checked. Flow events of the type can still be published.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/event-types/retire", body=body)

    def get_admin_api_replays(
        self,
        query: types.GetAdminApiReplaysQuery | None = None,
    ) -> types.GetAdminApiReplaysAnswer:
        """List replays. Of all organisations, one, or one listener; in the order of their start, or the latest first.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/replays", query=query)

    def post_admin_api_replays(self, body: types.PostAdminApiReplaysBody) -> types.Replay:
        """Start a replay. Sends past flow events to one listener again: those recorded from `from` to `to` of a `type`, or
        the one of `eventId`. The listener is named by `listenerId` or `hookUrl`. A repeat with the same `id` starts no
        second replay.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/replays", body=body)

    def get_admin_api_replays_by_id(self, id: str) -> types.Replay:
        """Show the progress of a replay. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", f"/admin/api/replays/{quoted(id)}")

    def post_admin_api_replays_by_id_cancel(self, id: str) -> types.CancelledReplay:
        """Cancel a replay. Its waiting and held deliveries are cancelled; attempts in progress are completed.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/replays/{quoted(id)}/cancel")

    def post_admin_api_audit_history(
        self,
        body: types.PostAdminApiAuditHistoryBody,
    ) -> types.PostAdminApiAuditHistoryAnswer:
        """List every change to an organisation's listeners, in order. It changes nothing; it is a POST because a hook URL
        is a capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/history", body=body)

    def get_admin_api_audit_service_history(
        self,
        query: types.GetAdminApiAuditServiceHistoryQuery | None = None,
    ) -> types.GetAdminApiAuditServiceHistoryAnswer:
        """List changes to clients, keys and event types, and erasures, in order. Credentials: an admin key with the role
        `viewer`.
        """
        return self._send("GET", "/admin/api/audit/service-history", query=query)

    def post_admin_api_audit_as_of(self, body: types.PostAdminApiAuditAsOfBody) -> types.PostAdminApiAuditAsOfAnswer:
        """Show an organisation's listeners at a time or position. It changes nothing; it is a POST because a hook URL is a
        capability and must not appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/as-of", body=body)

    def post_admin_api_audit_difference(
        self,
        body: types.PostAdminApiAuditDifferenceBody,
    ) -> types.PostAdminApiAuditDifferenceAnswer:
        """Compare an organisation at two times or positions. Its listeners, its integration task, its settings and its API
        keys, read from the events. It changes nothing; it is a POST because a hook URL is a capability and must not
        appear in access logs.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("POST", "/admin/api/audit/difference", body=body)

    def get_admin_api_organisations(
        self,
        query: types.GetAdminApiOrganisationsQuery | None = None,
    ) -> types.GetAdminApiOrganisationsAnswer:
        """List the organisations. Organisations with at least one listener, session, consent, task, setting or API key,
        now or in the past, in the order of their IDs. One that only publishes flow events is not listed.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/organisations", query=query)

    def get_admin_api_organisations_settings(
        self,
        query: types.GetAdminApiOrganisationsSettingsQuery,
    ) -> types.OrganisationSettings:
        """Show the settings of an organisation. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/organisations/settings", query=query)

    def post_admin_api_organisations_settings(
        self,
        body: types.PostAdminApiOrganisationsSettingsBody,
    ) -> types.ChangedOrganisationSettings:
        """Change the settings of an organisation. Fields that are left out stay as they are. Existing listeners do not
        change.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/organisations/settings", body=body)

    def post_admin_api_organisations_erase(self, body: types.PostAdminApiOrganisationsEraseBody) -> types.Erased:
        """Erase an organisation. Deletes all its data: listeners, deliveries, sessions, API keys, portal links and their
        sessions, replays and flow events. It cannot be undone. A repeat completes an interrupted erasure.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/organisations/erase", body=body)

    def post_admin_api_portal_links(
        self,
        body: types.PostAdminApiPortalLinksBody,
    ) -> types.PostAdminApiPortalLinksAnswer:
        """Make a link to the portal of an organisation. A company's back end requests a link for a user whom it has signed
        in, and opens it in a frame or a tab. Until it expires, the link opens one session: treat it as a password.
        `user` names the user in the history; without it the organisation is named.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/portal-links", body=body)

    def get_admin_api_tasks_registered(
        self,
        query: types.GetAdminApiTasksRegisteredQuery | None = None,
    ) -> types.GetAdminApiTasksRegisteredAnswer:
        """List the registered integration tasks. The default of the service, and those of organisations, in the order of
        their streams.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/tasks/registered", query=query)

    def get_admin_api_tasks(self, query: types.GetAdminApiTasksQuery | None = None) -> types.IntegrationTask:
        """Show the integration task in effect. The task of the organisation, else the default of the whole service.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/tasks", query=query)

    def post_admin_api_tasks_register(
        self,
        body: types.PostAdminApiTasksRegisterBody | None = None,
    ) -> types.ChangedIntegrationTask:
        """Register an integration task. It allows new listeners once it is active.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/tasks/register", body=body)

    def post_admin_api_tasks_activate(
        self,
        body: types.PostAdminApiTasksActivateBody | None = None,
    ) -> types.ChangedIntegrationTask:
        """Activate an integration task. Credentials: an admin key with the role `operator`."""
        return self._send("POST", "/admin/api/tasks/activate", body=body)

    def post_admin_api_tasks_deactivate(
        self,
        body: types.PostAdminApiTasksDeactivateBody | None = None,
    ) -> types.ChangedIntegrationTask:
        """Deactivate an integration task. New listeners are refused; existing listeners are unchanged.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/tasks/deactivate", body=body)

    def get_admin_api_sessions(
        self,
        query: types.GetAdminApiSessionsQuery | None = None,
    ) -> types.GetAdminApiSessionsAnswer:
        """List sessions. Sessions with all given properties. One that has expired is `active` until it is revoked or
        deleted. A page may have fewer items than `limit`, and still have a next one.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/sessions", query=query)

    def post_admin_api_sessions_revoke(
        self,
        body: types.PostAdminApiSessionsRevokeBody | None = None,
    ) -> types.PostAdminApiSessionsRevokeAnswer:
        """Revoke sessions. Names a session by `sessionId`, or several by one or more of `orgId`, `userId` and `clientId`.
        The answer lists the revoked sessions; `next` is the `after` of the next call.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/sessions/revoke", body=body)

    def get_admin_api_consents(self, query: types.GetAdminApiConsentsQuery) -> types.GetAdminApiConsentsAnswer:
        """List the consents in an organisation. All of them, or with `userId` those of one user.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/consents", query=query)

    def post_admin_api_consents_by_id_withdraw(self, id: str) -> types.ChangedConsent:
        """Withdraw a consent. The user is asked again at the next sign-in.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/consents/{quoted(id)}/withdraw")

    def get_admin_api_clients(self) -> types.GetAdminApiClientsAnswer:
        """List the registered clients. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", "/admin/api/clients")

    def post_admin_api_clients(self, body: types.PostAdminApiClientsBody) -> types.ChangedClient:
        """Register a client. The answer alone contains the generated `clientSecret`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/clients", body=body)

    def post_admin_api_clients_by_client_id_change(
        self,
        client_id: str,
        body: types.PostAdminApiClientsByClientIdChangeBody | None = None,
    ) -> types.ChangedClient:
        """Change a client. Fields that are left out stay as they are.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/change", body=body)

    def post_admin_api_clients_by_client_id_rotate_secret(
        self,
        client_id: str,
        body: types.PostAdminApiClientsByClientIdRotateSecretBody | None = None,
    ) -> types.ChangedClient:
        """Rotate the secret of a client. The answer alone contains the generated `clientSecret`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/rotate-secret", body=body)

    def post_admin_api_clients_by_client_id_end_previous_secret(self, client_id: str) -> types.ChangedClient:
        """End the previous secret of a client. From then on only the current secret is accepted.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/end-previous-secret")

    def post_admin_api_clients_by_client_id_remove(self, client_id: str) -> types.RemovedClient:
        """Remove a client. Its users cannot sign in or refresh their tokens any more.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/clients/{quoted(client_id)}/remove")

    def get_admin_api_api_keys(
        self,
        query: types.GetAdminApiApiKeysQuery | None = None,
    ) -> types.GetAdminApiApiKeysAnswer:
        """List API keys. All of them, or with `orgId` those of one organisation.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/api-keys", query=query)

    def post_admin_api_api_keys(self, body: types.PostAdminApiApiKeysBody) -> types.CreatedApiKey:
        """Create an API key. The answer alone contains the key, in `key`.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", "/admin/api/api-keys", body=body)

    def post_admin_api_api_keys_by_id_revoke(self, id: str) -> types.ChangedApiKey:
        """Revoke an API key. It is refused at once on every instance. A repeat changes nothing.

        Credentials: an admin key with the role `owner`.
        """
        return self._send("POST", f"/admin/api/api-keys/{quoted(id)}/revoke")

    def post_admin_api_projections_by_name_verify(self, name: str) -> types.Verification:
        """Verify a view on this instance. Folds all events again, into a temporary directory of this instance, and
        compares the documents with those of the live view.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/projections/{quoted(name)}/verify")

    def get_admin_api_projections_by_name_verification(self, name: str) -> types.Verification:
        """Show the running verification of a view, and the last result. Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", f"/admin/api/projections/{quoted(name)}/verification")

    def get_admin_api_projections(self) -> types.GetAdminApiProjectionsAnswer:
        """List the views. The position of each view, and its running or unfinished rebuild.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/projections")

    def get_admin_api_projections_by_name(self, name: str) -> types.View:
        """Show a view. Credentials: an admin key with the role `viewer`."""
        return self._send("GET", f"/admin/api/projections/{quoted(name)}")

    def post_admin_api_projections_by_name_rebuild(
        self,
        name: str,
        body: types.PostAdminApiProjectionsByNameRebuildBody | None = None,
    ) -> types.View:
        """Start a rebuild of a view. On this instance, in the background. The live view is used until the new build takes
        over.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/projections/{quoted(name)}/rebuild", body=body)

    def post_admin_api_projections_by_name_cancel(self, name: str) -> types.CancelledRebuild:
        """Cancel the rebuild of a view. On any instance. The live view is unchanged.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/projections/{quoted(name)}/cancel")

    def post_admin_api_projections_by_name_skip(
        self,
        name: str,
        body: types.PostAdminApiProjectionsByNameSkipBody,
    ) -> types.SkippedEvent:
        """Leave an event out of a view. For an event that stops the view. A view that has handled it keeps the result
        until it is rebuilt.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", f"/admin/api/projections/{quoted(name)}/skip", body=body)

    def get_admin_api_set_aside(
        self,
        query: types.GetAdminApiSetAsideQuery | None = None,
    ) -> types.GetAdminApiSetAsideAnswer:
        """List the set-aside events. Events that the fan-out could not decode, in the order of their positions.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/set-aside", query=query)

    def post_admin_api_set_aside_retry(
        self,
        body: types.PostAdminApiSetAsideRetryBody | None = None,
    ) -> types.PostAdminApiSetAsideRetryAnswer:
        """Retry set-aside events. One (`stream` and `revision`), or a page of all; `next` in the answer is the `after` of
        the next request.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/set-aside/retry", body=body)

    def get_admin_api_activity(self, query: types.GetAdminApiActivityQuery | None = None) -> types.Activity:
        """Show the activity of the service by minute. Of all organisations and instances together: the latest minutes, of
        which the last is the current one. The activity of a day is kept.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/activity", query=query)

    def get_admin_api_listeners_in_trouble(
        self,
        query: types.GetAdminApiListenersInTroubleQuery | None = None,
    ) -> types.GetAdminApiListenersInTroubleAnswer:
        """List listeners whose deliveries do not get through. Of all organisations: first listeners whose circuit breaker
        is open (`breaker`), then listeners that failed until they were paused (`paused`), then listeners with
        deliveries that are due for more than a minute (`overdue`), the longest first. A listener that waits for its own
        rate is not in trouble.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/listeners-in-trouble", query=query)

    def get_admin_api_backlog(
        self,
        query: types.GetAdminApiBacklogQuery | None = None,
    ) -> types.GetAdminApiBacklogAnswer:
        """Count waiting and held deliveries by listener. Listeners of an organisation or of all, those with the most
        first.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/backlog", query=query)

    def get_admin_api_service(self) -> types.Service:
        """Show the state of this instance. The instance that answers: its version, its tasks, and whether each part of it
        is ready. Without any secret.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/service")

    def get_admin_api_keys(self) -> types.GetAdminApiKeysAnswer:
        """List the signing keys and master keys. Of this instance and of the record, without key material.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/keys")

    def get_admin_api_operations_event_types(self) -> types.GetAdminApiOperationsEventTypesAnswer:
        """List the types of operational events. What the service tells its operators, with the schema and an example of
        the data of each type.

        Credentials: an admin key with the role `viewer`.
        """
        return self._send("GET", "/admin/api/operations/event-types")

    def post_admin_api_operations_subscribe(
        self,
        body: types.PostAdminApiOperationsSubscribeBody,
    ) -> types.OperationalListener:
        """Subscribe to operational events. Registers a listener of the organisation `flow-hooks.operations`, which gets
        the operational events of all organisations. The subscription type names one type, or a prefix such as
        `listener.*`. The listener is operated as any other.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/operations/subscribe", body=body)

    def post_admin_api_audit_seals(self) -> bytes:
        """Make a seal of the history. A signed digest of every listener, session, API key and consent up to now, by which
        later changes are found. The whole history is read before the answer begins, at about 50,000 events a second;
        one seal at a time on each instance.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/audit/seals", raw=True)

    def post_admin_api_audit_seals_check(
        self,
        body: bytes,
        query: types.PostAdminApiAuditSealsCheckQuery | None = None,
    ) -> types.SealCheck:
        """Compare the history with a seal. The body is the file of a seal, at most 256 MiB. It changes nothing.

        Credentials: an admin key with the role `operator`.
        """
        return self._send("POST", "/admin/api/audit/seals/check", body=body, query=query)
