import type { components, paths } from '../api.js';

type Schemas = components['schemas'];
type JsonBody<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : never;
type Query<Operation> = Operation extends { parameters: { query: infer Fields } } ? Fields : never;

type Answer<Operation, Status extends number> = Operation extends {
  responses: Record<Status, { content: { 'application/json': infer Body } }>;
}
  ? Body
  : never;

/** A delivery, with its attempts so far and the time of the next. */
export type Delivery = Schemas['Delivery'];
/** A listener, active or paused. */
export type Listener = Schemas['Listener'];
/** A flow event as lists have it, without its data. */
export type ListedFlowEvent = Schemas['ListedFlowEvent'];
/** A listener in an explanation: whether it got the flow event, and why. */
export type ExplainedListener = Schemas['ExplainedListener'];
/** `items`: a listener each. */
export type Explained = Pick<Schemas['Explanation'], 'event' | 'items'>;
/** A replay and its progress. */
export type Replay = Schemas['Replay'];
/** A replay that was cancelled, with the number of deliveries that were cancelled with it. */
export type CancelledReplay = Schemas['CancelledReplay'];

/** Facts of a key or token. `orgId` null: every organisation; `role`: of an admin key. */
export type Credentials = Answer<paths['/whoami']['get'], 200>;

/** `orgId`: needed with an access token, and with an API key for every organisation; `userId`: the owner of a listener, needed with an access token. */
type Identified = { readonly orgId?: string; readonly userId?: string };

/** A listener to register: its hook URL and its subscription. */
export type NewListener = Identified & JsonBody<paths['/api/hooks/subscribe/flows']['post']>;
/** A listener that is registered, with the secret that signs its deliveries. */
export type SubscribedListener = Answer<paths['/api/hooks/subscribe/flows']['post'], 201>;
/** The hook URL of a listener to remove. */
export type ListenerAddress = Identified & JsonBody<paths['/api/hooks/unsubscribe/flows']['post']>;

/** A flow event to publish. Without `id`, one is made. */
export type NewFlowEvent = JsonBody<paths['/api/flows']['post']>;

/** `warning`: how the data does not match the declared event type, if the organisation warns of that. */
export type Published = { readonly id: string; readonly warning?: string };

/**
 * The result of one event. `accepted`: it is recorded, now or earlier under the same id. `rejected`: it is refused for good. In an error
 * only: `unknown`, it may be recorded; `not_recorded`, its request was refused, or not sent.
 */
export type PublishResult =
  | { readonly status: 'accepted'; readonly id: string; readonly warning?: string }
  | { readonly status: 'rejected'; readonly id: string; readonly error: string; readonly message: string }
  | { readonly status: 'unknown' | 'not_recorded'; readonly id: string };

/** The body of a delivery to a listener without a transformation. */
export type DeliveredEvent = {
  readonly id: string;
  readonly type: string;
  /** Time at which it occurred, if the producer gave one; else at which it was recorded. ISO 8601. */
  readonly timestamp: string;
  readonly orgId: string;
  readonly flowId: string;
  readonly data: unknown;
};

type Paging = 'limit' | 'after';

/** Selects deliveries of an organisation. */
export type DeliveryQuery = Omit<Query<paths['/admin/api/deliveries']['get']>, Paging>;
/** Selects flow events of an organisation. */
export type FlowEventQuery = Omit<Query<paths['/admin/api/flows']['get']>, Paging>;
/** Selects listeners of an organisation. */
export type ListenerQuery = Omit<Query<paths['/admin/api/listeners']['get']>, Paging>;
/** The flow event to explain; for all listeners of the organisation, or the one that is named. */
export type ExplainRequest = Omit<JsonBody<paths['/admin/api/flows/{eventId}/explain']['post']>, Paging> & {
  /** The id with which the flow event was published, or its UUID in the event store. */
  readonly eventId: string;
};

/** The listener is named by `listenerId` or `hookUrl`; the flow events by `eventId`, or by a period and a type. */
export type ReplayRequest = JsonBody<paths['/admin/api/replays']['post']> &
  ({ readonly listenerId: string } | { readonly hookUrl: string });

/** Options of each method. */
export type CallOptions = {
  /** Ends the call with an error whose code is `aborted`. */
  readonly signal?: AbortSignal;
};

/** Options of lists. */
export type ListOptions = CallOptions & {
  /** Number of items in a request, 1 to 1,000. Default: 100. */
  readonly pageSize?: number;
};

/** Options of `waitForReplay`. */
export type WaitOptions = CallOptions & {
  /** Time between two looks at the replay. Default: 1,000. */
  readonly pollMs?: number;
  /** Called after each look, the last one included. */
  readonly onProgress?: (replay: Replay) => void;
};
