import type { Identity } from '../access/identity/caller.js';
import type { Routes } from '../http/context.js';
import type { RequestLimits } from '../http/limits/request-limits.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { ReadModel } from '../stores/read-model/read-model.js';
import { type DispatcherLoad, publishingPace } from './publishing-pace.js';
import { flowRoutes } from './routes.js';
import type { LatestFlowEvents } from './samples/latest-flow-events.js';
import type { TransformSample } from './samples/transform-samples.js';
import type { CheckPublished } from './types/publishing-checks.js';

export type FlowSettings = {
  readonly http: { readonly hooksPrefix: string };
  readonly listeners: { readonly subscriptionTypes: readonly string[] | undefined };
  readonly flows: {
    /** Maximum size of a published flow event in bytes. */
    readonly maxEventBytes: number;
  };
};

type FlowDependencies = {
  readonly store: EventStore;
  readonly readModel: Pick<ReadModel, 'find'>;
  /** See `publishingChecks`. */
  readonly checkPublished: CheckPublished;
  readonly identity: Identity;
  /** The dispatcher of this process; undefined if it has none. */
  readonly dispatcher: DispatcherLoad | undefined;
  readonly latestFlowEvents: LatestFlowEvents;
  readonly transformSample: TransformSample;
  readonly limits: Pick<RequestLimits, 'arrival' | 'flowEvents' | 'listenerRequest'>;
};

/** Publishing of flow events, and samples of them. */
export const flows = (
  { http, listeners, flows: { maxEventBytes } }: FlowSettings,
  { dispatcher, ...dependencies }: FlowDependencies,
): Routes =>
  flowRoutes({
    ...dependencies,
    prefix: http.hooksPrefix,
    subscriptionTypes: listeners.subscriptionTypes,
    maxEventBytes,
    pace: dispatcher ? publishingPace(dispatcher) : async () => undefined,
  });
