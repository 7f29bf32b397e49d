import type { ConfiguredMasterKeys } from '../access/keys/service-keys.js';
import type { AttemptObserver } from '../deliveries/worker/worker-settings.js';
import { bucketOf } from '../stores/event-store/bucket.js';
import type { Config, SharedSettings } from './config/config.js';

export type DispatcherSettings = SharedSettings & { keys: ConfiguredMasterKeys };

export const dispatcherSettings = (config: Config): DispatcherSettings => {
  const { mode, dataDirectory, cluster, logLevel, deliveries, flows, tokens, mcp } = config;
  const keys = { masterKeys: config.keys.masterKeys };
  return { mode, dataDirectory, cluster, logLevel, deliveries, flows, tokens, mcp, keys };
};

/** The deliveries enqueued less those attempted, by bucket of the organisation, shared by threads. */
export type DispatcherBacklog = Int32Array<SharedArrayBuffer>;

const buckets = 64;

export const newBacklog = (): DispatcherBacklog =>
  new Int32Array(new SharedArrayBuffer(buckets * Int32Array.BYTES_PER_ELEMENT));

/**
 * Inexact over time, since deliveries end without an attempt and others enqueue too: only its changes within a short
 * time are meaningful.
 */
export const countBacklog = (backlog: DispatcherBacklog): Required<AttemptObserver> => ({
  onEnqueued(organisations) {
    for (const orgId of organisations) Atomics.add(backlog, bucketOf(orgId) % buckets, 1);
  },
  onAttempted({ attempt, orgId }, { kind }) {
    if (attempt === 1 && kind !== 'released') Atomics.sub(backlog, bucketOf(orgId) % buckets, 1);
  },
});
