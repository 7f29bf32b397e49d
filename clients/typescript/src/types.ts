import type { components, paths } from '../api.js';

type Schemas = components['schemas'];
type JsonBody<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : never;
type Query<Operation> = Operation extends { parameters: { query: infer Fields } } ? Fields : never;

export type Delivery = Schemas['Delivery'];
export type Listener = Schemas['Listener'];
export type ListedFlowEvent = Schemas['ListedFlowEvent'];
export type ExplainedListener = Schemas['ExplainedListener'];
/** `items`: a listener each. */
export type Explained = Pick<Schemas['Explanation'], 'event' | 'items'>;
export type Replay = Schemas['Replay'];
export type CancelledReplay = Schemas['CancelledReplay'];

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
  /** When it occurred, if the producer gave the time; else when it was recorded. ISO 8601. */
  readonly timestamp: string;
  readonly orgId: string;
  readonly flowId: string;
  readonly data: unknown;
};

type Paging = 'limit' | 'after';

export type DeliveryQuery = Omit<Query<paths['/admin/api/deliveries']['get']>, Paging>;
export type FlowEventQuery = Omit<Query<paths['/admin/api/flows']['get']>, Paging>;
export type ListenerQuery = Omit<Query<paths['/admin/api/listeners']['get']>, Paging>;
export type ExplainRequest = Omit<JsonBody<paths['/admin/api/flows/{eventId}/explain']['post']>, Paging> & {
  /** The id with which the flow event was published, or its UUID in the event store. */
  readonly eventId: string;
};

/** The listener is named by `listenerId` or `hookUrl`; the flow events by `eventId`, or by a period and a type. */
export type ReplayRequest = JsonBody<paths['/admin/api/replays']['post']> &
  ({ readonly listenerId: string } | { readonly hookUrl: string });

export type CallOptions = {
  /** Ends the call with an error whose code is `aborted`. */
  readonly signal?: AbortSignal;
};

export type ListOptions = CallOptions & {
  /** Number of items in a request, 1 to 1,000. Default: 100. */
  readonly pageSize?: number;
};

export type WaitOptions = CallOptions & {
  /** Time between two looks at the replay. Default: 1,000. */
  readonly pollMs?: number;
  /** Called after each look, the last one included. */
  readonly onProgress?: (replay: Replay) => void;
};
