# Made from /openapi.json by tools/generate.py. Do not edit.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AcceptedEvent(TypedDict):
    status: Literal['accepted']
    """It is recorded, now or earlier under the same id."""
    id: str
    line: NotRequired[int]
    differs: NotRequired[bool]
    """True: an event with this id was published before with another content, which is kept and delivered."""
    warning: NotRequired[str]
    """The difference between the data and the declared event type."""


class ActivateTaskRequest(TypedDict):
    orgId: NotRequired[str | None]
    """Null, or left out: the default of the whole service."""


class AgentChallenge(TypedDict):
    challenge: str


class AgentTerminationReason(TypedDict):
    reason: str


class ApiKey(TypedDict):
    """An API key, without the key itself."""

    id: str
    name: str
    orgId: str | None
    """Null: every organisation."""
    scopes: list[str]
    """Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read."""
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    revokedAt: str | None
    state: Literal['active', 'expired', 'revoked']
    createdBy: str | None
    revokedBy: str | None


class Attempt(TypedDict):
    """One request to a listener."""

    startedAt: str | None
    durationMs: float
    status: int | None
    error: str | None
    answer: str | None
    """The first bytes of the answer's body, as text."""
    headers: str | None
    """Headers of the answer to a failed attempt, a retry or a test, a line each: the first KiB, without secrets and the hook URL."""
    address: str | None
    """The network address that the request was sent to."""


class AuditDifference(TypedDict):
    change: Literal['added', 'removed', 'changed', 'undecodable']
    """`undecodable`: an event up to the later moment cannot be decoded, so that the state is not known."""
    kind: Literal['listener', 'integrationTask', 'organisation', 'apiKey']
    id: str
    """The ID of the listener or the API key; of other objects the stream."""
    before: dict[str, Any] | None
    """Null where it did not exist."""
    after: dict[str, Any] | None
    fields: list[str]
    """The names of the fields that differ; empty unless it was changed."""
    changedAt: str | None
    """The time of the last event up to the later moment."""
    changedBy: str | None
    stream: str
    message: str | None
    """The reason why an event cannot be decoded."""


class AuditEntry(TypedDict):
    """One recorded event."""

    at: str
    """Time at which the event was recorded."""
    type: str
    actor: str | None
    """`user:42`, `admin:ops`, `api-key:<ID>`; null where the event names no actor."""
    actorName: str | None
    """The name of the API key that is the actor; null for other actors."""
    causationId: str | None
    correlationId: str | None
    """The ID of the request."""
    orgId: str | None
    userId: str | None
    listenerId: str | None
    hookUrl: str | None
    sessionId: str | None
    """The session of a user; or of the portal: the ID of the link that opened it."""
    clientId: str | None
    apiKeyId: str | None
    eventType: str | None
    """The name of the event type that the event concerns."""
    before: dict[str, Any] | None
    """The state before the event; null: nothing existed."""
    after: dict[str, Any] | None
    """The state after the event; null: nothing exists any more."""
    reason: str | None
    undecodable: str | None
    """The reason why the event cannot be decoded; null if it can."""
    stream: str
    revision: str
    eventId: str
    position: str


class CancelledRebuild(TypedDict):
    name: str
    cancelled: Literal['asked', 'dropped', 'none']
    """`asked`: the process that works on it stops within seconds. `dropped`: the unfinished build was deleted. `none`: there was no rebuild."""


class CancelledReplayEvent(TypedDict):
    """The only flow event that it sends; null: it sends several."""

    stream: str
    revision: str


class CancelledReplayReached(TypedDict):
    """The last flow event that it has examined."""

    stream: str
    revision: str


CancelledReplay = TypedDict(
    'CancelledReplay',
    {
        'id': str,
        'orgId': str,
        'listenerId': str,
        'from': str | None,
        'to': str | None,
        'type': str | None,
        'event': CancelledReplayEvent | None,
        'ratePerSecond': float,
        'startedAt': str,
        'lookedAt': int,
        'enqueued': int,
        'reached': CancelledReplayReached | None,
        'state': Literal['running', 'completed', 'cancelled'],
        'progressedAt': str,
        'endedAt': str | None,
        'reason': str | None,
        'startedBy': str | None,
        'endedBy': str | None,
        'percent': float,
        'secondsLeft': int | None,
        'cancelled': int,
    },
)


class ChangeClientRequest(TypedDict):
    name: NotRequired[str | None]
    redirectUris: NotRequired[list[str] | None]
    scopes: NotRequired[list[Literal['listeners', 'flows:publish']] | None]


class ChangeEventTypeRequest(TypedDict):
    name: str
    description: NotRequired[str | None]
    schema: NotRequired[Any]
    """JSON Schema, draft 2020-12, of the data; null: any data."""
    example: NotRequired[Any]
    """An example of the data, which the schema accepts; null: none."""
    searchable: NotRequired[list[str] | None]
    """Paths of values, such as `data.order.number`, by which flow events of this type are found, besides their ID and flowId: at most 10. A change applies to events that are published at least a second later."""


class ChangeListenerOptionsRequest(TypedDict):
    ordered: NotRequired[bool | None]
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: NotRequired[float | None]
    """Maximum deliveries per second; null: the service-wide limit for each listener."""


class ChangeOrganisationSettingsRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    ordered: NotRequired[bool | None]
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: NotRequired[float | None]
    """Maximum deliveries per second; null: the service-wide limit for each listener."""
    eventTypeCheck: NotRequired[Literal['off', 'warn', 'refuse'] | None]
    """The check of published flow events against their declared types."""


class ChangedApiKey(TypedDict):
    id: str
    name: str
    orgId: str | None
    """Null: every organisation."""
    scopes: list[str]
    """Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read."""
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    revokedAt: str | None
    state: Literal['active', 'revoked']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedClientSecret(TypedDict):
    createdAt: str
    until: str | None
    """Null: until an operator ends it."""


class ChangedClient(TypedDict):
    clientId: str
    name: str
    type: Literal['confidential', 'public']
    redirectUris: list[str]
    scopes: list[Literal['listeners', 'flows:publish']]
    registeredAt: str
    secrets: list[ChangedClientSecret]
    """The valid secrets, the current one first; never the secrets themselves."""
    clientSecret: NotRequired[str]
    """A secret that was generated. It is shown here only."""
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedConsent(TypedDict):
    consentId: str
    clientId: str
    orgId: str
    userId: str
    scopes: list[str]
    grantedAt: str
    state: Literal['granted', 'withdrawn']
    withdrawnAt: NotRequired[str]
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedEventType(TypedDict):
    name: str
    state: Literal['declared', 'retired']
    version: int
    """The number of the version; each change adds 1."""
    description: str
    schema: Any
    """JSON Schema (draft 2020-12) of the data; null: any data."""
    example: Any
    """An example of the data; null: none."""
    searchable: list[str]
    """Paths of the values by which its flow events are found."""
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedIntegrationTask(TypedDict):
    state: Literal['inactive', 'active']
    orgId: str | None
    """Null: the default of the whole service."""
    name: str
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedListenerFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class ChangedListener(TypedDict):
    """The listener after a change."""

    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ChangedListenerFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused', 'unsubscribed']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ChangedOrganisationSettings(TypedDict):
    orgId: str
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    eventTypeCheck: Literal['off', 'warn', 'refuse']
    """The treatment of flow events that do not match their declared type."""
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class CheckHealthAnswer(TypedDict):
    status: Literal['ok']


class CheckTokenAnswer(TypedDict):
    success: Literal[1]


class CloudEvent(TypedDict):
    specversion: Literal['1.0']
    id: str
    """The `id` of the flow event: unique in the organisation, whatever the source."""
    source: str
    """Kept in the history; not delivered."""
    type: str
    time: NotRequired[str | None]
    """The `occurredAt` of the flow event."""
    subject: NotRequired[str | None]
    """Kept in the history; not delivered."""
    datacontenttype: NotRequired[str | None]
    dataschema: NotRequired[str | None]
    orgid: NotRequired[str | None]
    """Extension: the `orgId` of the flow event. Optional if the credentials contain it."""
    flowid: NotRequired[str | None]
    """Extension: the `flowId` of the flow event."""
    data: NotRequired[Any]
    """Any JSON; without it `null` is delivered."""


class Consent(TypedDict):
    """The agreement of a user that a client acts for them in an organisation."""

    consentId: str
    clientId: str
    orgId: str
    userId: str
    scopes: list[str]
    grantedAt: str
    state: Literal['granted', 'withdrawn']
    withdrawnAt: NotRequired[str]


class CreateApiKeyRequest(TypedDict):
    name: str
    orgId: str | None
    scopes: list[Literal['flows:publish', 'flows:read', 'listeners:read', 'listeners:write', 'deliveries:read']]
    expiresAt: NotRequired[str | None]


class CreatePortalLinkAnswer(TypedDict):
    url: str
    """Absolute, with a token in its query: no log of the service contains it."""
    expiresAt: str
    """The link can be opened until then; ISO 8601."""


class CreatePortalLinkRequest(TypedDict):
    orgId: str
    role: NotRequired[Literal['viewer', 'operator'] | None]
    """A viewer reads; an operator also changes listeners and publishes flow events. Without it `operator`."""
    user: NotRequired[str | None]
    """The ID of the user in the company, for the history: `portal:<user>`."""
    expiresInSeconds: NotRequired[int | None]
    sessionMinutes: NotRequired[int | None]


class CreatedApiKey(TypedDict):
    id: str
    name: str
    orgId: str | None
    """Null: every organisation."""
    scopes: list[str]
    """Some of flows:publish, flows:read, listeners:read, listeners:write, deliveries:read."""
    createdAt: str
    expiresAt: str | None
    lastUsedAt: str | None
    revokedAt: str | None
    state: Literal['active', 'revoked']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""
    key: str
    """The key. It is shown here only."""


class DeactivateTaskRequest(TypedDict):
    orgId: NotRequired[str | None]
    """Null, or left out: the default of the whole service."""
    reason: NotRequired[str | None]


class DeclareEventTypeRequest(TypedDict):
    name: str
    description: str
    schema: NotRequired[Any]
    """JSON Schema, draft 2020-12, of the data; null: any data."""
    example: NotRequired[Any]
    """An example of the data, which the schema accepts; null: none."""
    searchable: NotRequired[list[str] | None]
    """Paths of values, such as `data.order.number`, by which flow events of this type are found, besides their ID and flowId: at most 10. A change applies to events that are published at least a second later."""


class DeliveryCount(TypedDict):
    """Up to a thousand; a filter that matches rarely counts those among the latest 5,000."""

    count: int
    isAll: bool
    """False: there may be more."""


class DeliveryCounts(TypedDict):
    waiting: int
    held: int
    succeeded: int
    exhausted: int
    cancelled: int
    setAside: int
    """Number of events that could not be decoded."""
    oldestDueAt: str | None
    """Time at which the longest waiting of the due deliveries became due."""
    fanOutPosition: str | None
    """The fan-out has handled all events up to this position; null: none."""
    fanOutPartitions: int


class DeliveryExhaustedData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""
    minute: str
    count: int


DeliveryState: TypeAlias = Literal['waiting', 'held', 'succeeded', 'exhausted', 'cancelled']
"""`waiting` for its next attempt, `held` while its listener is paused, `succeeded`, `exhausted` (a dead letter: its attempts are used up), or `cancelled`."""


class DeliveryStatsTotal(TypedDict):
    attempts: int
    succeeded: int
    failed: int
    exhausted: int
    """Deliveries whose attempts were used up."""
    durationMs: int | None
    """Average duration of an attempt; null without attempts."""


class DeliveryStatsListener(TypedDict):
    listenerId: str
    attempts: int
    succeeded: int
    failed: int
    exhausted: int
    """Deliveries whose attempts were used up."""
    durationMs: int | None
    """Average duration of an attempt; null without attempts."""


class DeliveryStatsDay(TypedDict):
    day: str
    attempts: int
    succeeded: int
    failed: int
    exhausted: int
    """Deliveries whose attempts were used up."""
    durationMs: int | None
    """Average duration of an attempt; null without attempts."""


class DeliveryStatsHalfHour(TypedDict):
    at: str
    succeeded: int
    failed: int
    exhausted: int
    """Deliveries whose attempts were used up."""


DeliveryStats = TypedDict(
    'DeliveryStats',
    {
        'from': str,
        'to': str,
        'total': DeliveryStatsTotal,
        'listeners': list[DeliveryStatsListener],
        'days': list[DeliveryStatsDay],
        'halfHours': list[DeliveryStatsHalfHour],
    },
)


class EraseOrganisationRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    confirm: str
    """The same ID again."""


class Erased(TypedDict):
    """Counts of what an erasure deleted; zeros if nothing was left to delete."""

    organisation: str
    """The pseudonym of the organisation in the record of erasures."""
    streams: int
    """Number of streams that were deleted, without flows."""
    flowStreams: int
    elsewhere: list[str]
    """Flow streams of another organisation, or of none, with events that name this one: they are kept."""


class Error(TypedDict):
    error: str
    """A stable code, for programs."""
    message: str
    """A text for people."""
    requestId: str
    """The ID of `X-Request-Id`, and in the log of the service."""


class EventToPublish(TypedDict):
    orgId: NotRequired[str | None]
    """Optional if the credentials contain the organisation."""
    type: str
    data: Any
    id: NotRequired[str | None]
    """Publishing again with the same id has no effect: the first event is kept."""
    flowId: NotRequired[str | None]
    """The flow that the event belongs to; without it the event is a new flow."""
    occurredAt: NotRequired[str | None]


class EventType(TypedDict):
    """A declared type of flow events."""

    name: str
    state: Literal['declared', 'retired']
    version: int
    """The number of the version; each change adds 1."""
    description: str
    schema: Any
    """JSON Schema (draft 2020-12) of the data; null: any data."""
    example: Any
    """An example of the data; null: none."""
    searchable: list[str]
    """Paths of the values by which its flow events are found."""


class ExchangeCodeAnswer(TypedDict):
    access_token: str
    """A JWT, for the header `Authorization: Bearer …`."""
    token_type: Literal['Bearer']
    expires_in: int
    """Seconds until the access token expires."""
    refresh_token: str
    """Exchange it at `POST /refresh` or `POST /access`."""
    scope: NotRequired[str]
    """The scopes of the token, where clients are registered."""
    user_id: NotRequired[str]
    """Only in the answer to a code, like `org_id`."""
    org_id: NotRequired[str]


class ExchangeCodeRequest(TypedDict):
    grant_type: Literal['authorization_code', 'refresh_token']
    code: NotRequired[str | None]
    code_verifier: NotRequired[str | None]
    redirect_uri: NotRequired[str | None]
    refresh_token: NotRequired[str | None]
    scope: NotRequired[str | None]
    resource: NotRequired[str | None]
    client_id: NotRequired[str | None]
    client_secret: NotRequired[str | None]


class ExplainFlowEventRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    listenerId: NotRequired[str | None]
    hookUrl: NotRequired[str | None]
    limit: NotRequired[int | None]
    after: NotRequired[str | None]


class ExplanationEvent(TypedDict):
    eventId: str
    """The ID that its producer and its listeners know; if it was deleted, the one in the store."""
    storeEventId: str
    """The flow event's UUID in the event store."""
    orgId: str
    type: str
    position: str


class FeedEventEvent(TypedDict):
    """As listeners receive it, digit for digit."""

    id: str
    type: str
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: Any


class FeedEvent(TypedDict):
    """A flow event."""

    kind: Literal['event']
    cursor: str
    """The `after` of a request for the events that follow."""
    position: str
    storeEventId: str
    """The flow event's UUID in the event store."""
    recordedAt: str
    event: FeedEventEvent
    """As listeners receive it, digit for digit."""


class FeedGap(TypedDict):
    """Flow events that are missing here."""

    kind: Literal['gap']
    cursor: str
    """The `after` of a request for the events that follow."""
    reason: Literal['deleted', 'retention', 'erasure']
    """`deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased."""
    upTo: str
    """The last position that the gap is about."""
    events: int | None
    """Number of missing events; null: unknown."""


FeedItem: TypeAlias = FeedEvent | FeedGap
"""In order of position."""


class FeedPage(TypedDict):
    items: list[FeedItem]
    next: str
    """The `after` of the next request, also of one that waits for new events."""
    more: bool
    """True: the next page can be requested at once, without `wait`."""


class FlowEvent(TypedDict):
    """A flow event with its content."""

    eventId: str
    """The ID that its producer and its listeners know."""
    storeEventId: str
    """The flow event's UUID in the event store."""
    orgId: str
    flowId: str
    type: str
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    recordedAt: str
    data: Any
    stream: str
    revision: str
    position: str
    handedOver: bool
    """The fan-out has processed it."""
    publishedBy: str | None
    """`api-key:<ID>`, `user:42`, `admin:ops`; null where a producer appended it without an actor."""
    publisherName: str | None
    """The name of the API key that published it; null for others."""
    cloudEvent: dict[str, Any] | None
    """Attributes of the CloudEvent as which it was published, such as `source`; they are not delivered."""


class FoundListenerFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class IntegrationTaskInEffect(TypedDict):
    state: Literal['inactive', 'active']
    orgId: str | None
    """Null: the default of the whole service."""
    name: str


class IntrospectTokenAnswer(TypedDict):
    active: bool
    """False: the answer has no other field."""
    iss: NotRequired[str]
    sub: NotRequired[str]
    """The user, or `api-key:` and the ID of an API key."""
    org_id: NotRequired[str]
    """Missing for an API key that is for every organisation."""
    sid: NotRequired[str]
    """The session of a token."""
    client_id: NotRequired[str]
    scope: NotRequired[str]
    iat: NotRequired[int]
    """Seconds since 1970."""
    exp: NotRequired[int]
    """Seconds since 1970. Missing for an API key that does not expire."""
    jti: NotRequired[str]
    token_type: NotRequired[Literal['Bearer']]
    """Present for access tokens and API keys."""
    aud: NotRequired[str]


class IntrospectTokenRequest(TypedDict):
    token: str
    token_type_hint: NotRequired[str | None]
    """Ignored: a token shows its type."""
    client_id: NotRequired[str | None]
    client_secret: NotRequired[str | None]


Key = TypedDict(
    'Key',
    {
        'kind': Literal['signing', 'master'],
        'id': str,
        'kid': str | None,
        'state': Literal['current', 'pending', 'kept', 'retired', 'missing'],
        'from': str | None,
    },
)


class LastFailure(TypedDict):
    """The latest failed attempt of a listener since its last success."""

    at: str
    status: int | None
    error: str | None
    answer: str | None
    """The beginning of the answer's body."""


class ListApiKeysAnswer(TypedDict):
    items: list[ApiKey]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListConsentsAnswer(TypedDict):
    items: list[Consent]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListEventTypesAnswer(TypedDict):
    items: list[EventType]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListKeysAnswer(TypedDict):
    items: list[Key]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListedFlowEvent(TypedDict):
    """A flow event that the fan-out has processed."""

    eventId: str
    """The ID that its producer and its listeners know; if unknown, the one in the store."""
    storeEventId: str
    """The flow event's UUID in the event store."""
    orgId: str
    type: str
    recordedAt: str | None
    position: str


class ListenerFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class Listener(TypedDict):
    """The current listener."""

    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ListenerFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused']
    pausedBy: Literal['operator', 'failing'] | None
    since: str
    """The time of the last change of its state or subscription."""
    registeredAt: str
    """The time at which it was registered."""


class ListenerAsOfDetailsFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class ListenerAsOfDetails(TypedDict):
    """The listener then: another one if another listener at the hook URL was current."""

    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ListenerAsOfDetailsFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""


class ListenerAsOfChange(TypedDict):
    """The last change until then."""

    type: str
    at: str
    revision: str


class ListenerAsOf(TypedDict):
    """A listener at an instant."""

    at: str
    state: Literal['none', 'active', 'paused', 'ended']
    """`none`: not registered before this time. `ended`: unsubscribed before this time."""
    details: ListenerAsOfDetails | None
    """The listener then: another one if another listener at the hook URL was current."""
    change: ListenerAsOfChange | None
    """The last change until then."""
    previousAt: str | None
    """The time of the last change before the instant."""
    nextAt: str | None
    """The time of the first change after the instant."""


class ListenerBacklog(TypedDict):
    listenerId: str
    orgId: str
    hookUrl: str
    """Its origin: the URL itself is a capability."""
    waiting: int
    held: int


class ListenerDetailFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class ListenerFailingData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""
    since: str
    failures: int
    percent: int


class ListenerHealth(TypedDict):
    """The results of recent attempts."""

    breaker: Literal['closed', 'open', 'probing']
    openUntil: str | None
    """The circuit breaker is open and keeps deliveries back until then."""
    failingSince: str | None
    """Every attempt since then has failed."""
    failures: int
    """Number of failed attempts since then."""
    pacePerSecond: float | None
    """The rate that the listener accepts, found by its answers 429 and 503."""
    notBefore: str | None
    """The listener has asked for no attempts until then (Retry-After)."""
    lastFailure: LastFailure | None
    """Null if the last attempt succeeded."""
    nextAttemptAt: str | None
    """Earliest time of the next attempt; null if no delivery waits."""


class ListenerInTrouble(TypedDict):
    listenerId: str
    orgId: str
    hookUrl: str
    """Its origin: the URL itself is a capability."""
    trouble: Literal['breaker', 'paused', 'overdue']
    failingSince: str | None
    """Time of the first of the failed attempts in a row."""
    failedAttempts: int
    """Number of failed attempts in a row."""
    openUntil: str | None
    """The circuit breaker keeps deliveries back until then."""
    dueSince: str | None
    """Time at which the longest waiting of its deliveries became or becomes due."""
    lastFailure: LastFailure | None
    waiting: int
    """Number of waiting deliveries."""
    held: int
    """Number of held deliveries."""


class ListenerPausedData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""
    reason: Literal['operator', 'customer', 'failing']


class ListenerRemovedData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""
    reason: Literal['gone', 'operator', 'customer']


class ListenerResumedData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""


class ListenerThen(TypedDict):
    """A listener at a past moment, with the last event up to then."""

    stream: str
    revision: str
    changedAt: str


class ListenerWithSecretFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class ListenerWithSecret(TypedDict):
    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ListenerWithSecretFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused', 'unsubscribed']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""
    signingSecret: str
    """The new signing secret."""
    signingPublicKey: str
    """Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true."""


class MissingIntegrationTask(TypedDict):
    state: Literal['missing']


class Moment(TypedDict):
    """The time, the actor and the reason of a change of a listener."""

    at: str
    by: str | None
    reason: str | None


class OperationalEventType(TypedDict):
    name: str
    description: str
    schema: Any
    """The JSON Schema of `data`."""
    example: Any


class OperationalListenerReplaced(TypedDict):
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""

    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""


class OperationalListener(TypedDict):
    listenerId: str
    orgId: str
    hookUrl: str
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    signingSecret: str
    signingPublicKey: str
    """Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true."""
    replaced: OperationalListenerReplaced | None
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""


class Organisation(TypedDict):
    orgId: str
    listeners: int
    """Active and paused listeners, counted up to 10000."""


class OrganisationErasedData(TypedDict):
    organisation: str
    streams: int
    flowStreams: int


class OrganisationSettings(TypedDict):
    """The defaults of an organisation's new listeners, and the check of its flow events."""

    orgId: str
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    eventTypeCheck: Literal['off', 'warn', 'refuse']
    """The treatment of flow events that do not match their declared type."""


class Part(TypedDict):
    part: str
    ready: bool
    since: NotRequired[str]
    reason: NotRequired[str]
    required: NotRequired[bool]


class Percentiles(TypedDict):
    """Milliseconds, estimated from a histogram; null where there was none."""

    p50: float | None
    p95: float | None


class PublishFlowEventAsOperatorRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    type: str
    data: Any
    id: NotRequired[str | None]
    """Publishing again with the same id has no effect: the first event is kept."""
    flowId: NotRequired[str | None]
    """The flow that the event belongs to; without it the event is a new flow."""
    occurredAt: NotRequired[str | None]


class PublishedByOperator(TypedDict):
    id: str
    differs: NotRequired[bool]
    """True: an event with this id was published before with another content, which is kept and delivered."""
    warnings: list[str]
    """Its size, the difference between its data and its declared type, and an earlier event with its id."""


class Readiness(TypedDict):
    status: Literal['ready', 'not ready']
    parts: list[Part]


class RebuildHolder(TypedDict):
    """The process that works on it; null: it was left unfinished, and the next rebuild continues it."""

    host: str
    pid: int
    since: str


class RebuildProgress(TypedDict):
    phase: Literal['loading', 'indexing', 'catching up', 'verifying', 'done', 'folding', 'comparing']
    """`folding` and `comparing` are the phases of a verification, which changes no view."""
    events: float
    perSecond: float
    position: str
    head: str


class Rebuild(TypedDict):
    """A rebuild or a verification that is under way, or a rebuild that was left unfinished."""

    build: str | None
    holder: RebuildHolder | None
    """The process that works on it; null: it was left unfinished, and the next rebuild continues it."""
    cancelled: bool
    progress: RebuildProgress | None


class RebuildViewRequest(TypedDict):
    verify: NotRequired[bool | None]
    """Compare the new build with the live one before it takes over."""


class ReceivedAgentEvent(TypedDict):
    eventId: str
    name: str
    """The event type."""
    timestamp: str
    data: dict[str, Any]
    """Data that is no object is `{"value": …}`."""


class ReceivedAgentGap(TypedDict):
    type: Literal['gap']
    cursor: str
    """The host continues there."""


class ReceivedAgentVerification(TypedDict):
    type: Literal['verification']
    challenge: str


class ReceivedDeliveryExhausted(TypedDict):
    id: str
    type: Literal['delivery.exhausted']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: DeliveryExhaustedData


class ReceivedFlowEvent(TypedDict):
    id: str
    type: str
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: Any


class ReceivedListenerFailing(TypedDict):
    id: str
    type: Literal['listener.failing']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ListenerFailingData


class ReceivedListenerPaused(TypedDict):
    id: str
    type: Literal['listener.paused']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ListenerPausedData


class ReceivedListenerRemoved(TypedDict):
    id: str
    type: Literal['listener.removed']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ListenerRemovedData


class ReceivedListenerResumed(TypedDict):
    id: str
    type: Literal['listener.resumed']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ListenerResumedData


class ReceivedOrganisationErased(TypedDict):
    id: str
    type: Literal['organisation.erased']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: OrganisationErasedData


RedeliverDeliveriesRequest = TypedDict(
    'RedeliverDeliveriesRequest',
    {
        'orgId': str,
        'ids': NotRequired[list[str] | None],
        'listenerId': NotRequired[str | None],
        'eventId': NotRequired[str | None],
        'replay': NotRequired[str | None],
        'type': NotRequired[str | None],
        'error': NotRequired[str | None],
        'from': NotRequired[str | None],
        'to': NotRequired[str | None],
        'after': NotRequired[str | None],
        'states': NotRequired[list[Literal['waiting', 'held', 'succeeded', 'exhausted', 'cancelled']] | None],
        'limit': NotRequired[int | None],
    },
)


class RedeliverDeliveryRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""


class Redelivered(TypedDict):
    redelivered: int
    leftOut: NotRequired[int]
    """Deliveries that were selected, and whose listeners are paused or removed, or which have changed meanwhile."""
    next: str | None
    """The `after` of the next request; null: all have been redelivered."""


class RefreshTokensAnswer(TypedDict):
    access_token: str
    """A JWT, for the header `Authorization: Bearer …`."""
    token_type: Literal['Bearer']
    expires_in: int
    """Seconds until the access token expires."""
    refresh_token: str
    """Exchange it at `POST /refresh` or `POST /access`."""
    scope: NotRequired[str]
    """The scopes of the token, where clients are registered."""


class RefreshTokensRequest(TypedDict):
    grant_type: Literal['refresh_token']
    refresh_token: str
    scope: NotRequired[str | None]
    resource: NotRequired[str | None]
    client_id: NotRequired[str | None]
    client_secret: NotRequired[str | None]


class RegisterClientRequest(TypedDict):
    clientId: NotRequired[str | None]
    """Permanent. Generated if none is given."""
    name: str
    type: NotRequired[Literal['confidential', 'public'] | None]
    """Without it `confidential`."""
    redirectUris: list[str]
    scopes: NotRequired[list[Literal['listeners', 'flows:publish']] | None]


class RegisterTaskRequest(TypedDict):
    orgId: NotRequired[str | None]
    """Null, or left out: the default of the whole service."""
    name: NotRequired[str | None]


class RegisteredClientSecret(TypedDict):
    createdAt: str
    until: str | None
    """Null: until an operator ends it."""


class RegisteredClient(TypedDict):
    """A registered platform."""

    clientId: str
    name: str
    type: Literal['confidential', 'public']
    redirectUris: list[str]
    scopes: list[Literal['listeners', 'flows:publish']]
    registeredAt: str
    secrets: list[RegisteredClientSecret]
    """The valid secrets, the current one first; never the secrets themselves."""


class RegisteredIntegrationTask(TypedDict):
    orgId: str | None
    """Null: the default of the whole service."""
    name: str
    state: Literal['registered', 'active', 'inactive']
    since: str
    """Time at which it got into this state."""
    reason: str | None
    """The reason of its deactivation, if one was given."""


class RejectedEvent(TypedDict):
    status: Literal['rejected']
    """It is not recorded. Send it again only after a correction."""
    id: NotRequired[str]
    """The ID as it was sent, if there is one."""
    line: NotRequired[int]
    """The line in newline-delimited JSON, from 1."""
    error: str
    """A stable code, as that of an error answer to a single event."""
    message: str


class RemovedClient(TypedDict):
    clientId: str
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""


class ReplayEvent(TypedDict):
    """The only flow event that it sends; null: it sends several."""

    stream: str
    revision: str


class ReplayReached(TypedDict):
    """The last flow event that it has examined."""

    stream: str
    revision: str


Replay = TypedDict(
    'Replay',
    {
        'id': str,
        'orgId': str,
        'listenerId': str,
        'from': str | None,
        'to': str | None,
        'type': str | None,
        'event': ReplayEvent | None,
        'ratePerSecond': float,
        'startedAt': str,
        'lookedAt': int,
        'enqueued': int,
        'reached': ReplayReached | None,
        'state': Literal['running', 'completed', 'cancelled'],
        'progressedAt': str,
        'endedAt': str | None,
        'reason': str | None,
        'startedBy': str | None,
        'endedBy': str | None,
        'percent': float,
        'secondsLeft': int | None,
    },
)


class ReplayFinishedData(TypedDict):
    orgId: str
    listenerId: str
    replayId: str
    outcome: Literal['completed', 'cancelled']
    enqueued: int


class ResumeListenerRequest(TypedDict):
    redeliverHeld: NotRequired[bool | None]
    closeCircuit: NotRequired[bool | None]
    """Also of an active listener: its circuit breaker closes, and its failures do not count any more."""


class ResumedListenerFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class ResumedListener(TypedDict):
    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ResumedListenerFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused', 'unsubscribed']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""
    held: int
    """Number of deliveries that are still held."""
    redelivered: int
    """Number of held deliveries that were made due."""
    moreMayCome: bool
    """The fan-out has not yet processed all flow events of the pause."""


class RetireEventTypeRequest(TypedDict):
    name: str


class RetriedEvent(TypedDict):
    stream: str
    revision: str
    position: str
    type: str
    outcome: Literal['handed-over', 'set-aside']
    deliveries: int
    """Number of deliveries that the retry enqueued."""
    reason: str | None
    """The reason why it cannot be decoded; null: it is no longer set aside."""


class RetrySetAsideAnswer(TypedDict):
    items: list[RetriedEvent]
    next: str | None
    """The `after` of the next page; null on the last page."""


class RetrySetAsideRequest(TypedDict):
    stream: NotRequired[str | None]
    revision: NotRequired[int | str | None]
    after: NotRequired[int | str | None]
    limit: NotRequired[int | None]


class RevokeSessionsRequest(TypedDict):
    orgId: NotRequired[str | None]
    userId: NotRequired[str | None]
    clientId: NotRequired[str | None]
    sessionId: NotRequired[str | None]
    after: NotRequired[str | None]
    """The `next` of the previous page."""


class RevokeTokenRequest(TypedDict):
    token: str
    token_type_hint: NotRequired[str | None]
    """Ignored: a token shows its type."""
    client_id: NotRequired[str | None]
    client_secret: NotRequired[str | None]


class RevokedSession(TypedDict):
    sessionId: str
    orgId: str
    userId: str
    clientId: str | None
    """The client to which it is bound."""
    issuedAt: str
    rotatedAt: str
    """The time of the last rotation of its refresh token."""


class RotateClientSecretRequest(TypedDict):
    overlapHours: NotRequired[int | None]
    discardNewest: NotRequired[bool | None]


class RotateListenerSecretRequest(TypedDict):
    overlapHours: NotRequired[int | None]
    replaces: NotRequired[int | None]
    """The `secretVersion` that is to be replaced: a repeat with it does not rotate again."""


SealCheckFinding = TypedDict(
    'SealCheckFinding',
    {
        'stream': str,
        'kind': Literal['changed', 'removed', 'added', 'unexplained', 'erased'],
        'from': str | None,
        'to': str | None,
        'at': str | None,
        'by': str | None,
    },
)


class SealCheck(TypedDict):
    """The result of a comparison of the history with a seal."""

    sealedAt: str
    streams: int
    events: int
    thumbprint: str
    """RFC 7638, of the signing key."""
    matches: bool
    differences: int
    """Number of streams that differ."""
    erased: int
    """Number of streams whose erasure is recorded, which are no difference."""
    findings: list[SealCheckFinding]
    """The first findings by stream name, at most 100."""


class SearchListenersRequest(TypedDict):
    orgId: NotRequired[str | None]
    """The ID of an organisation."""
    hookUrl: NotRequired[str | None]
    """The whole URL."""
    urlPart: NotRequired[str | None]
    """A part of the URL, in either case."""
    state: NotRequired[Literal['active', 'troubled', 'paused', 'paused-failing', 'ended'] | None]
    limit: NotRequired[int | None]
    after: NotRequired[str | None]
    """The `next` of the previous page."""


class SecretRotatedData(TypedDict):
    orgId: str
    listenerId: str
    hookUrl: str
    """The URL without path and query, which are a secret."""
    secretVersion: int
    previousSecretUntil: str | None


class SentRequest(TypedDict):
    headers: dict[str, Any] | None
    """Null before the first attempt."""
    body: str | None
    """Null if it is not kept any more."""


class ServicePart(TypedDict):
    part: str
    ready: bool
    since: NotRequired[str]
    reason: NotRequired[str]
    required: NotRequired[bool]


class ServiceDispatcher(TypedDict):
    """Null if this instance delivers nothing."""

    fanOutPosition: str | None
    """This instance has fanned out all events of its partitions up to this position; null while it has none."""
    fanOutPartitions: int
    """Number of partitions that this instance fans out."""
    attemptsUnderWay: int


class ServiceLease(TypedDict):
    name: str
    isHeld: bool
    holder: str | None


class ServiceEventTypeMismatch(TypedDict):
    type: str
    warned: int
    refused: int
    lastAt: str
    lastReason: str


class ServiceUnsafeItem(TypedDict):
    setting: str
    voids: str


class Service(TypedDict):
    version: str
    nodeVersion: str
    mode: Literal['development', 'production']
    host: str
    """The name of the machine."""
    startedAt: str
    roles: list[Literal['api', 'projector', 'dispatcher']]
    stores: Literal['embedded', 'servers']
    """`servers`: EventStoreDB and MongoDB."""
    memoryBytes: int
    """Resident memory of the process."""
    parts: list[ServicePart]
    dispatcher: ServiceDispatcher | None
    """Null if this instance delivers nothing."""
    leases: list[ServiceLease]
    """Leaderships for which this instance competes, with the leader of each."""
    eventTypeMismatches: list[ServiceEventTypeMismatch]
    """Flow events that were published at this instance since it started and did not match their event type, by type: accepted with a warning, or refused."""
    unsafe: list[ServiceUnsafeItem]
    """Settings of production whose values void a protection, which `UNSAFE` permits."""


class Session(TypedDict):
    """A user's session, without its tokens."""

    sessionId: str
    orgId: str
    userId: str
    clientId: str | None
    """The client to which it is bound."""
    issuedAt: str
    rotatedAt: str
    """The time of the last rotation of its refresh token."""
    state: Literal['active', 'revoked']
    rotations: int
    reusedAt: str | None
    """Time at which an earlier refresh token was presented."""
    revokedAt: str | None
    reason: str | None
    """The reason of the revocation."""


class SetAsideEvent(TypedDict):
    """An event that could not be decoded; it is kept."""

    stream: str
    revision: str
    position: str
    type: str
    reason: str
    """The reason why it cannot be decoded."""


class ShowApiDescriptionAnswer(TypedDict):
    openapi: str


class ShowAsOfAnswer(TypedDict):
    items: list[ListenerThen]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ShowAsOfRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    hookUrl: NotRequired[str | None]
    at: str
    limit: NotRequired[int | None]
    after: NotRequired[str | None]


class ShowAuthorizationServerAnswer(TypedDict):
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    revocation_endpoint: str
    introspection_endpoint: str
    scopes_supported: list[Literal['listeners', 'flows:publish']]
    response_types_supported: list[str]
    response_modes_supported: list[str]
    grant_types_supported: list[str]
    code_challenge_methods_supported: list[str]
    token_endpoint_auth_methods_supported: list[str]
    revocation_endpoint_auth_methods_supported: list[str]
    introspection_endpoint_auth_methods_supported: list[str]
    authorization_response_iss_parameter_supported: bool
    client_id_metadata_document_supported: NotRequired[bool]


class ShowDifferenceAnswer(TypedDict):
    items: list[AuditDifference]
    next: str | None
    """The `after` of the next page; null on the last page."""


ShowDifferenceRequest = TypedDict(
    'ShowDifferenceRequest',
    {
        'orgId': str,
        'from': str,
        'to': str,
        'limit': NotRequired[int | None],
        'after': NotRequired[str | None],
    },
)


class ShowEventTypeTimelineAnswer(TypedDict):
    items: list[AuditEntry]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ShowHistoryAnswer(TypedDict):
    items: list[AuditEntry]
    next: str | None
    """The `after` of the next page; null on the last page."""


ShowHistoryRequest = TypedDict(
    'ShowHistoryRequest',
    {
        'orgId': str,
        'hookUrl': NotRequired[str | None],
        'listenerId': NotRequired[str | None],
        'user': NotRequired[bool | str | None],
        'from': NotRequired[str | None],
        'to': NotRequired[str | None],
        'limit': NotRequired[int | None],
        'after': NotRequired[int | str | None],
        'first': NotRequired[Literal['oldest', 'newest'] | None],
    },
)


class ShowListenerAsOfRequest(TypedDict):
    at: str


class ShowListenerTimelineAnswer(TypedDict):
    items: list[AuditEntry]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ShowProtectedResourceAnswer(TypedDict):
    resource: str
    authorization_servers: list[str]
    scopes_supported: list[Literal['listeners', 'flows:publish']]
    bearer_methods_supported: list[str]
    resource_name: str


class ShowPublicKeysAnswerKey(TypedDict):
    kty: str
    kid: str
    alg: str
    use: NotRequired[Literal['sig']]


class ShowPublicKeysAnswer(TypedDict):
    keys: list[ShowPublicKeysAnswerKey]


class ShowPublicKeysOfListenerAnswerKey(TypedDict):
    publicKey: str
    """Ed25519, in the format of Standard Webhooks."""
    version: int
    """The number of the signing secret beside it."""
    until: str | None
    """It signs until then, beside the present key; null: the present key."""


class ShowPublicKeysOfListenerAnswer(TypedDict):
    keys: list[ShowPublicKeysOfListenerAnswerKey]


class ShowServiceHistoryAnswer(TypedDict):
    items: list[AuditEntry]
    next: str | None
    """The `after` of the next page; null on the last page."""


class SkipEventRequest(TypedDict):
    position: int | str
    why: str
    """The reason, for readers of the history."""


class SkippedEvent(TypedDict):
    """An event that a view leaves out."""

    projection: str
    eventId: str
    eventType: str
    stream: str
    revision: str
    position: str
    why: str


StartReplayRequest = TypedDict(
    'StartReplayRequest',
    {
        'id': NotRequired[str | None],
        'orgId': str,
        'listenerId': NotRequired[str | None],
        'hookUrl': NotRequired[str | None],
        'from': NotRequired[str | None],
        'to': NotRequired[str | None],
        'type': NotRequired[str | None],
        'eventId': NotRequired[str | None],
        'ratePerSecond': NotRequired[float | None],
    },
)


class SubmitSignInAnswer(TypedDict):
    code: str
    expires_in: int
    """Seconds."""


class SubmitSignInRequest(TypedDict):
    response_type: NotRequired[str | None]
    response_mode: NotRequired[str | None]
    redirect_uri: NotRequired[str | None]
    state: NotRequired[str | None]
    client_id: NotRequired[str | None]
    scope: NotRequired[str | None]
    code_challenge: NotRequired[str | None]
    code_challenge_method: NotRequired[str | None]
    resource: NotRequired[str | None]
    user_id: str
    org_id: str


class SubscribeAnswerReplaced(TypedDict):
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""

    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""


class SubscribeAnswer(TypedDict):
    id: str
    """The same as `listenerId`: platforms look for `id`."""
    listenerId: str
    signingSecret: str
    """Deliveries are signed with it (Standard Webhooks)."""
    signingPublicKey: str
    """Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true."""
    orgId: str
    hookUrl: str
    """The stored form: normalised, without a fragment."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    replaced: SubscribeAnswerReplaced | None
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""
    message: str


class SubscribeListenerRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    userId: NotRequired[str | None]
    """The user for whom it is registered; without it, the caller."""
    hookUrl: str
    """An absolute http or https URL, at most 2,048 characters."""
    subscriptionType: str
    """Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`)."""
    filter: NotRequired[dict[str, Any] | None]
    """Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before."""
    transform: NotRequired[str | None]
    """A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md."""
    ordered: NotRequired[bool | None]
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: NotRequired[float | None]
    """Maximum deliveries per second; null: the service-wide limit for each listener."""
    description: NotRequired[str | None]
    """Free text of who registers the listener, for people; without it, it stays as it is; null: none."""
    signedWithKeyPair: NotRequired[bool | None]
    """Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret."""


class SubscribeOperationsRequest(TypedDict):
    hookUrl: str
    """An absolute http or https URL, at most 2,048 characters."""
    subscriptionType: str
    """Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`)."""
    filter: NotRequired[dict[str, Any] | None]
    """Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before."""
    transform: NotRequired[str | None]
    """A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md."""
    ordered: NotRequired[bool | None]
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: NotRequired[float | None]
    """Maximum deliveries per second; null: the service-wide limit for each listener."""
    description: NotRequired[str | None]
    """Free text of who registers the listener, for people; without it, it stays as it is; null: none."""
    signedWithKeyPair: NotRequired[bool | None]
    """Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret."""


class SubscribeRequest(TypedDict):
    hookUrl: str
    """An absolute http or https URL, at most 2,048 characters."""
    subscriptionType: str
    """Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`)."""
    filter: NotRequired[dict[str, Any] | None]
    """Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before."""
    transform: NotRequired[str | None]
    """A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md."""
    ordered: NotRequired[bool | None]
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: NotRequired[float | None]
    """Maximum deliveries per second; null: the service-wide limit for each listener."""
    description: NotRequired[str | None]
    """Free text of who registers the listener, for people; without it, it stays as it is; null: none."""
    signedWithKeyPair: NotRequired[bool | None]
    """Signs deliveries also with the key pair of the listener (`v1a`), for receivers without the secret."""


class SubscribedListenerFailing(TypedDict):
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""

    since: str
    failures: int
    percent: int
    """Share of the limit at which the listener is paused."""


class SubscribedListenerReplaced(TypedDict):
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""

    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""


class SubscribedListener(TypedDict):
    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: SubscribedListenerFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused', 'unsubscribed']
    changed: list[str]
    """The types of the events that the command appended; empty if it changed nothing."""
    signingSecret: str
    """The new signing secret."""
    signingPublicKey: str
    """Verifies the signatures `v1a` (Ed25519), which deliveries have if `signedWithKeyPair` is true."""
    replaced: SubscribedListenerReplaced | None
    """The subscription that the listener at this hook URL had until now; null: none, or the same."""


class SubscriptionType(TypedDict):
    id: str
    """The value for `subscriptionType`."""
    name: str
    description: str


class TestDelivery(TypedDict):
    """The result of a sample flow event."""

    deliveryId: str
    eventId: str
    state: DeliveryState
    attempt: Attempt | None
    """Null: there was no attempt within some seconds."""


class TokenError(TypedDict):
    error: Literal['invalid_request', 'invalid_grant', 'unsupported_grant_type', 'invalid_scope', 'invalid_target', 'invalid_client', 'temporarily_unavailable']
    error_description: str
    """A text for people."""


class TriedEvent(TypedDict):
    """The request that a listener would receive for a flow event."""

    sent: bool
    body: Any
    """The body that the listener would receive; null if nothing would be sent."""
    because: str | None
    """The reason why nothing would be sent."""


class TriedExample(TypedDict):
    outcome: Literal['sent', 'dropped', 'failed']
    eventId: str
    type: str
    recordedAt: str
    position: str
    body: Any
    """The body that would be sent; null otherwise."""
    because: str | None
    """The reason of `dropped` and `failed`."""


class TriedGap(TypedDict):
    reason: Literal['deleted', 'retention', 'erasure']
    """`deleted`: events here were deleted, and their number is known. `retention`: from here up to `upTo` events may be missing because of their age, and the service no longer knows how many. `erasure`: all events of the organisation up to `upTo` were erased."""
    upTo: str
    """The last position that the gap is about."""
    events: int | None
    """Number of missing events; null: unknown."""


TriedSubscription = TypedDict(
    'TriedSubscription',
    {
        'from': str,
        'upTo': str | None,
        'sent': int,
        'dropped': int,
        'failed': int,
        'examples': list[TriedExample],
        'gaps': list[TriedGap],
        'stoppedBy': Literal['end', 'events', 'bytes', 'time', 'busy'],
        'next': str | None,
    },
)


class TryListenerRequestEvent(TypedDict):
    type: str
    data: Any
    id: NotRequired[str | None]
    """Publishing again with the same id has no effect: the first event is kept."""
    flowId: NotRequired[str | None]
    """The flow that the event belongs to; without it the event is a new flow."""
    occurredAt: NotRequired[str | None]


class TryListenerRequest(TypedDict):
    event: TryListenerRequestEvent


class TrySubscriptionRequest(TypedDict):
    orgId: str
    """The ID of an organisation."""
    subscriptionType: NotRequired[str | None]
    """Which flow events: a type (`flow.completed`), a prefix (`flow.*`), or all (`*`, `flows`)."""
    filter: NotRequired[dict[str, Any] | None]
    """Which of these flow events: MongoDB's query operators on the delivered event; see Filters in docs/deliveries.md. Without it all, also if the listener had a filter before."""
    transform: NotRequired[str | None]
    """A JSONata expression over the delivered event, whose result is sent; see Transformations in docs/deliveries.md."""
    days: NotRequired[int | None]
    """Age of the oldest flow events, in days."""
    examples: NotRequired[int | None]
    """Maximum number of examples of each outcome."""
    after: NotRequired[str | None]
    """The `next` of the previous page."""


class UnsubscribeAnswer(TypedDict):
    success: bool
    message: str


class UnsubscribeRequest(TypedDict):
    hookUrl: str
    """An absolute http or https URL, at most 2,048 characters."""


class VerificationRunning(TypedDict):
    """The verification that any instance runs; `POST /views/{name}/cancel` cancels it."""

    phase: Literal['folding', 'comparing']
    done: str
    """While folding a position, while comparing a number of documents."""
    total: str


class VerificationLastFirstItemFields(TypedDict):
    expected: Any
    actual: Any


class VerificationLastFirstItem(TypedDict):
    view: str
    kind: Literal['missing', 'surplus', 'different', 'not-built', 'unreadable', 'skipped']
    key: str | None
    fields: dict[str, VerificationLastFirstItemFields]
    message: str | None


class VerificationLast(TypedDict):
    """The last verification of this view by the instance that answers, since its start."""

    startedAt: str
    endedAt: str
    outcome: Literal['matches', 'differs', 'cancelled', 'failed', 'stopped']
    differences: int
    skipped: int
    """Events that the view leaves out by an operator's decision."""
    first: list[VerificationLastFirstItem]
    """The first of them, at most 20."""
    failure: str | None


class Verification(TypedDict):
    name: str
    running: VerificationRunning | None
    """The verification that any instance runs; `POST /views/{name}/cancel` cancels it."""
    last: VerificationLast | None
    """The last verification of this view by the instance that answers, since its start."""


class ViewLag(TypedDict):
    events: int
    orMore: bool
    """There may be more: they are counted up to a limit."""
    seconds: float
    """Age of the first event that the view does not have."""


ViewSetAside = TypedDict(
    'ViewSetAside',
    {
        'as': str,
        'since': str,
    },
)


class ViewError(TypedDict):
    """The error that has stopped the view."""

    message: str
    position: str | None
    since: str


class ViewLastRebuild(TypedDict):
    """The last rebuild that this instance has completed."""

    build: str
    events: int
    """Number of events handled, without the work of an interrupted rebuild that it continued."""
    seconds: float
    resumed: bool
    """It continued an unfinished build."""
    verified: int | None
    """Number of documents compared with those of the live build before."""


class View(TypedDict):
    """The progress of a view."""

    name: str
    version: int
    build: str | None
    """The live build; null: the view has not been built yet."""
    otherBuilds: list[str]
    """Builds that are not read: former ones, and one that is being made."""
    position: str | None
    """All events up to this position are in the view."""
    head: str
    """The end of the event store."""
    lag: ViewLag | None
    setAside: ViewSetAside | None
    """The damaged build that was set aside, while there is no other."""
    error: ViewError | None
    """The error that has stopped the view."""
    rebuild: Rebuild | None
    caughtUp: bool
    eventsPerSecond: float | None
    """Null on an instance that does not project this view."""
    holder: str | None
    """The instance that projects this view."""
    lastRebuild: ViewLastRebuild | None
    """The last rebuild that this instance has completed."""
    rebuildFailure: str | None
    """The error that ended the last rebuild started by this instance."""


class ViewDamagedData(TypedDict):
    view: str
    setAsideAs: str


WaitsFor: TypeAlias = Literal['schedule', 'retry-after', 'breaker', 'rate', 'order', 'a worker', 'resume', 'redelivery']
"""The reason why a delivery waits: the time of its retry, the time that the listener asked for, the circuit breaker of the listener, the rate limit of the listener, an earlier delivery of an ordered listener, a worker, the resume of its listener, or its redelivery."""


class WhoamiAnswer(TypedDict):
    actor: str
    """Names the caller in the history: `user:42`, `admin:ops`, `api-key:` and its ID."""
    orgId: str | None
    """Null: every organisation."""
    userId: str | None
    """Null: these are not the credentials of a user."""
    role: Literal['viewer', 'operator', 'owner'] | None
    """The role of an admin key; null for others."""
    scopes: list[str]


class CheckTokenQuery(TypedDict):
    scope: NotRequired[str]
    """Scopes that the credentials have to have, separated by spaces: `listeners:write flows:publish`."""


class CheckTokenHeaders(TypedDict):
    orgid: NotRequired[str]
    userid: NotRequired[str]


class WhoamiHeaders(TypedDict):
    orgid: NotRequired[str]
    userid: NotRequired[str]


class SubscribeHeaders(TypedDict):
    orgid: NotRequired[str]
    """The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key for every organisation."""
    userid: NotRequired[str]
    """The user, who becomes the owner of the listener. Needed unless an API key is sent; with an access token it has to be its user."""


class UnsubscribeHeaders(TypedDict):
    orgid: NotRequired[str]
    """The organisation; `orgId` is the same header. Needed with an access token, of whose organisation it has to be, and with an API key for every organisation."""
    userid: NotRequired[str]
    """The user, for the history."""


class PublishFlowEventHeaders(TypedDict):
    orgid: NotRequired[str]
    """The organisation. Not needed if the credentials are for one, or the body names it."""
    userid: NotRequired[str]
    """The user, for the history."""


PublishFlowEventsBody: TypeAlias = list[EventToPublish]


class PublishFlowEventsHeaders(TypedDict):
    orgid: NotRequired[str]
    """The organisation. Not needed if the credentials are for one, or the body names it."""
    userid: NotRequired[str]
    """The user, for the history."""


class ListSampleEventsQuery(TypedDict):
    subscriptionType: NotRequired[str]
    """Only events that this subscription type selects; without it, all."""
    type: NotRequired[str]
    """The same as `subscriptionType`."""
    filter: NotRequired[str]
    """Only events that this filter of a subscription selects: an object as JSON."""
    transform: NotRequired[str]
    """The JSONata expression with which the caller is going to subscribe: each sample is what a listener with it receives. Samples for which it fails are left out; if it fails for all, the answer is 400 with the reason."""
    limit: NotRequired[int]
    """Maximum number of events, 1 to 100, the default."""


class ListSampleEventsHeaders(TypedDict):
    orgid: NotRequired[str]
    """The organisation. Not needed if the credentials are for one."""


ListSampleEventsAnswer: TypeAlias = list[Any]


class ListListenersQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


class ShowListenerTimelineQuery(TypedDict):
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]


ListDeliveriesQuery = TypedDict(
    'ListDeliveriesQuery',
    {
        'orgId': str,
        'listenerId': NotRequired[str],
        'eventId': NotRequired[str],
        'replay': NotRequired[str],
        'type': NotRequired[str],
        'error': NotRequired[str],
        'from': NotRequired[str],
        'to': NotRequired[str],
        'after': NotRequired[str],
        'state': NotRequired[Literal['waiting', 'held', 'succeeded', 'exhausted', 'cancelled']],
        'limit': NotRequired[int],
        'order': NotRequired[Literal['last-attempt']],
        'counted': NotRequired[Literal['true']],
    },
)


class ShowDeliveryQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""


ShowStatsQuery = TypedDict(
    'ShowStatsQuery',
    {
        'orgId': str,
        'listenerId': NotRequired[str],
        'from': NotRequired[str],
        'to': NotRequired[str],
    },
)


class ShowSentRequestQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""


ListFlowEventsQuery = TypedDict(
    'ListFlowEventsQuery',
    {
        'orgId': str,
        'type': NotRequired[str],
        'find': NotRequired[str],
        'from': NotRequired[str],
        'to': NotRequired[str],
        'limit': NotRequired[int],
        'after': NotRequired[str],
    },
)


class ShowFlowEventQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""


class ReadEventsQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""
    after: NotRequired[str]
    """A cursor; `end`: only events from now on. Without it, from the first event that is kept."""
    type: NotRequired[str]
    """As a subscription type selects it: a type, or a prefix such as `order.*`. Without it, all."""
    filter: NotRequired[str]
    """A filter as a subscription has it, as JSON."""
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    wait: NotRequired[int]
    """Seconds for which the request waits if there is no item; 0 to 30."""


class ListEventTypesQuery(TypedDict):
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


class ShowEventTypeQuery(TypedDict):
    name: str


class ShowEventTypeTimelineQuery(TypedDict):
    name: str
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]


class ListReplaysQuery(TypedDict):
    orgId: NotRequired[str]
    """The ID of an organisation."""
    listenerId: NotRequired[str]
    order: NotRequired[Literal['latest']]
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


ShowServiceHistoryQuery = TypedDict(
    'ShowServiceHistoryQuery',
    {
        'from': NotRequired[str],
        'to': NotRequired[str],
        'limit': NotRequired[int],
        'after': NotRequired[str],
    },
)


class ShowOrganisationSettingsQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""


class ListOrganisationsQuery(TypedDict):
    prefix: NotRequired[str]
    """Only organisations whose ID begins with this."""
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]


class ShowTaskQuery(TypedDict):
    orgId: NotRequired[str | None]
    """Null, or left out: the default of the whole service."""


class ListTasksQuery(TypedDict):
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


class ListSessionsQuery(TypedDict):
    orgId: NotRequired[str]
    userId: NotRequired[str]
    clientId: NotRequired[str]
    state: NotRequired[Literal['active', 'revoked']]
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


class ListConsentsQuery(TypedDict):
    orgId: str
    """The ID of an organisation."""
    userId: NotRequired[str]
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]


class ListApiKeysQuery(TypedDict):
    orgId: NotRequired[str]
    """The ID of an organisation."""
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]
    """The `next` of the previous page."""


class ListSetAsideQuery(TypedDict):
    limit: NotRequired[int]
    """Maximum number of items in the page."""
    after: NotRequired[str]


class ShowActivityQuery(TypedDict):
    minutes: NotRequired[int]


class ListListenersInTroubleQuery(TypedDict):
    limit: NotRequired[int]


class ListBacklogQuery(TypedDict):
    orgId: NotRequired[str]
    """The ID of an organisation."""
    limit: NotRequired[int]


class CheckSealQuery(TypedDict):
    thumbprint: NotRequired[str]


class ActivityTotal(TypedDict):
    events: int
    """Number of flow events that the fan-out has processed."""
    succeeded: int
    """Number of successful attempts."""
    failed: int
    """Number of failed attempts."""
    exhausted: int
    """Number of deliveries whose attempts were used up."""
    latencyMs: Percentiles
    """Time from recording a flow event to a success at the first attempt."""
    durationMs: Percentiles
    """Duration of an attempt."""


class ActivityMinute(TypedDict):
    at: str
    """The beginning of the minute."""
    events: int
    """Number of flow events that the fan-out has processed."""
    succeeded: int
    """Number of successful attempts."""
    failed: int
    """Number of failed attempts."""
    exhausted: int
    """Number of deliveries whose attempts were used up."""
    latencyMs: Percentiles
    """Time from recording a flow event to a success at the first attempt."""
    durationMs: Percentiles
    """Duration of an attempt."""


class Activity(TypedDict):
    total: ActivityTotal
    minutes: list[ActivityMinute]


class AgentTermination(TypedDict):
    code: int
    message: str
    data: AgentTerminationReason


class Delivery(TypedDict):
    """A flow event on its way to one listener."""

    id: str
    webhookId: str
    """The header `webhook-id`: the same for one flow event and listener, also if it is sent again."""
    orgId: str
    listenerId: str
    replay: NotRequired[str]
    """The replay or the test to which it belongs."""
    eventId: str
    """The ID of the flow event that its producer and its listeners know."""
    storeEventId: str
    """The flow event's UUID in the event store."""
    eventType: str
    state: DeliveryState
    attempts: int
    """Number of attempts so far."""
    enqueuedAt: str | None
    dueAt: str | None
    waitsFor: WaitsFor | None
    waitsUntil: str | None
    """Earliest end of the wait; null if the wait does not end at a known time."""
    lastAttemptAt: str | None
    lastStatus: int | None
    """HTTP status of the last attempt; null without an answer."""
    lastError: str | None
    """The class of failure of the last attempt, such as `connect_timeout`."""


class DeliveryWithAttempts(TypedDict):
    id: str
    webhookId: str
    """The header `webhook-id`: the same for one flow event and listener, also if it is sent again."""
    orgId: str
    listenerId: str
    replay: NotRequired[str]
    """The replay or the test to which it belongs."""
    eventId: str
    """The ID of the flow event that its producer and its listeners know."""
    storeEventId: str
    """The flow event's UUID in the event store."""
    eventType: str
    state: DeliveryState
    attempts: int
    """Number of attempts so far."""
    enqueuedAt: str | None
    dueAt: str | None
    waitsFor: WaitsFor | None
    waitsUntil: str | None
    """Earliest end of the wait; null if the wait does not end at a known time."""
    lastAttemptAt: str | None
    lastStatus: int | None
    """HTTP status of the last attempt; null without an answer."""
    lastError: str | None
    """The class of failure of the last attempt, such as `connect_timeout`."""
    log: list[Attempt]
    """The latest 100 attempts, in their order."""


class ExplainedDelivery(TypedDict):
    id: str
    replay: str | None
    outcome: Literal['delivered', 'waiting', 'held', 'refused', 'dead-letter', 'cancelled']
    because: str
    """A sentence for people."""
    waitsFor: WaitsFor | None
    until: str | None
    attempts: list[Attempt]


class ExplainedListenerDetails(TypedDict):
    """The listener when the flow event was recorded."""

    state: Literal['not-yet', 'active', 'paused', 'removed']
    subscriptionType: str | None
    filter: dict[str, Any] | None
    subscribed: Moment | None
    paused: Moment | None
    removed: Moment | None


class ExplainedListener(TypedDict):
    """The outcome of a flow event for one listener, with its reason."""

    listenerId: str
    hookUrl: str
    """Masked, unless the request names the listener by its URL."""
    outcome: Literal['delivered', 'waiting', 'held', 'refused', 'dead-letter', 'cancelled', 'not-subscribed', 'type-mismatch', 'filter-mismatch', 'not-handed-over', 'purged']
    because: str
    """A sentence for people."""
    details: ExplainedListenerDetails
    """The listener when the flow event was recorded."""
    deliveries: list[ExplainedDelivery]


class Explanation(TypedDict):
    event: ExplanationEvent
    items: list[ExplainedListener]
    next: str | None


class FoundListener(TypedDict):
    """A listener that a search has found."""

    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: FoundListenerFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    status: Literal['active', 'failing', 'paused', 'paused-failing', 'replaced', 'ended']
    """`failing`: active, and failures were recorded; `paused-failing`: paused by the service for them."""
    since: str
    """The time of the last change of its state or subscription."""
    health: ListenerHealth


IntegrationTask: TypeAlias = MissingIntegrationTask | IntegrationTaskInEffect
"""The organisation may register listeners while it is active."""


class ListBacklogAnswer(TypedDict):
    items: list[ListenerBacklog]


class ListClientsAnswer(TypedDict):
    items: list[RegisteredClient]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListDeliveriesAnswer(TypedDict):
    items: list[Delivery]
    next: str | None
    """The `after` of the next page; null on the last page."""
    total: NotRequired[DeliveryCount]


class ListFlowEventsAnswer(TypedDict):
    items: list[ListedFlowEvent]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListListenersAnswer(TypedDict):
    items: list[Listener]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListListenersInTroubleAnswer(TypedDict):
    items: list[ListenerInTrouble]


class ListOperationalTypesAnswer(TypedDict):
    items: list[OperationalEventType]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListOrganisationsAnswer(TypedDict):
    items: list[Organisation]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListReplaysAnswer(TypedDict):
    items: list[Replay]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListSessionsAnswer(TypedDict):
    items: list[Session]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListSetAsideAnswer(TypedDict):
    items: list[SetAsideEvent]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListTasksAnswer(TypedDict):
    items: list[RegisteredIntegrationTask]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListViewsAnswer(TypedDict):
    items: list[View]
    next: str | None
    """The `after` of the next page; null on the last page."""


class ListenerDetail(TypedDict):
    """A listener, current or ended."""

    listenerId: str
    orgId: str
    userId: str
    """The user who registered it first."""
    hookUrl: str
    """A capability: it must not appear in logs."""
    subscriptionType: str
    filter: dict[str, Any] | None
    """Selects among the flow events of the type; null: all."""
    transform: str | None
    """The JSONata expression that makes the body; null: the event as it is."""
    ordered: bool
    """One delivery at a time, in the order of the flow events."""
    ratePerSecond: float | None
    """Null: the limit of the service for each listener."""
    description: str | None
    """Free text of who registered the listener."""
    signedWithKeyPair: bool
    """Deliveries have a second signature (`v1a`), which the public key verifies."""
    secretVersion: int
    """The number of its signing secret."""
    previousSecretUntil: str | None
    """Deliveries are also signed with the previous secret until then."""
    failing: ListenerDetailFailing | None
    """The failures that were last recorded: all attempts since `since` have failed; null: none."""
    expiresAt: NotRequired[str]
    """The end of the subscription of an agent, unless its host renews it; missing for other listeners."""
    state: Literal['active', 'paused', 'ended']
    pausedBy: Literal['operator', 'failing'] | None
    since: str
    """The time of the last change of its state or subscription; of an ended listener, of its end."""
    endReason: str | None
    """`requested` by the platform or the agent, `gone` (410), by an `operator` or a customer, `expired` or `access-revoked` of an agent, or `erased` with its organisation."""
    replacedBy: str | None
    """The ID of the latest listener at the same hook URL, if one was registered after this one."""
    firstRegisteredAt: str
    """The time at which the URL was first registered for the organisation."""
    health: ListenerHealth
    held: int
    """Number of held deliveries, counted up to 1,000."""
    waiting: int
    """Number of waiting deliveries."""


PublishedResult: TypeAlias = AcceptedEvent | RejectedEvent


class ReceivedAgentTermination(TypedDict):
    type: Literal['terminated']
    error: AgentTermination


class ReceivedReplayFinished(TypedDict):
    id: str
    type: Literal['replay.finished']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ReplayFinishedData


class ReceivedSecretRotated(TypedDict):
    id: str
    type: Literal['secret.rotated']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: SecretRotatedData


class ReceivedViewDamaged(TypedDict):
    id: str
    type: Literal['view.damaged']
    timestamp: str
    """Time at which it occurred, if the producer gave one; else at which it was recorded."""
    orgId: str
    flowId: str
    data: ViewDamagedData


class RevokeSessionsAnswer(TypedDict):
    items: list[RevokedSession]
    next: str | None
    """The `after` of the next page; null on the last page."""


class SearchListenersAnswer(TypedDict):
    items: list[FoundListener]
    next: str | None
    """The `after` of the next page; null on the last page."""
    searched: int
    """Number of listeners that were examined for this page."""


class Published(TypedDict):
    id: NotRequired[str]
    differs: NotRequired[bool]
    """True: an event with this id was published before with another content, which is kept and delivered."""
    accepted: NotRequired[int]
    rejected: NotRequired[int]
    results: NotRequired[list[PublishedResult]]


class PublishedBatch(TypedDict):
    accepted: int
    rejected: int
    results: list[PublishedResult]
