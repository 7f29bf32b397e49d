import type { FlowEvent } from '../flow-event.js';

/** The latest flow events of an organisation, the latest first; possibly none. */
export type LatestFlowEvents = (query: {
  readonly orgId: string;
  /** Which ones, as subscriptions select them. */
  readonly subscriptionType: string;
  /** Maximum number. */
  readonly limit: number;
  /** Maximum size of the data of all as JSON, but at least one. */
  readonly maxBytes: number;
  readonly accepts: (event: FlowEvent) => boolean;
}) => Promise<readonly FlowEvent[]>;
