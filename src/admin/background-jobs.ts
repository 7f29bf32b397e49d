import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import type { MasterKeys } from '../access/keys/master-keys.js';
import type { SessionExpiry } from '../access/tokens/session.js';
import { currentListener } from '../listeners/queries/registered-listeners.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import type { Leases } from '../stores/leases/leases.js';
import type { ReadModel } from '../views/read-model.js';
import { flowRetention, portalRetention, sessionRetention } from './erasure/retention-policies.js';
import { startStreamRetention } from './erasure/stream-retention.js';
import { startOperationalEvents } from './operations/operational-events.js';
import { startReplayRunner } from './replays/replay-runner.js';

export type BackgroundJobSettings = {
  flows: { retentionMs: number | undefined };
  tokens: SessionExpiry & { retentionMs: number | undefined };
};

type BackgroundJobDependencies = {
  store: EventStore;
  readModel: ReadModel;
  masterKeys: MasterKeys;
  queue: DeliveryQueue;
  leases: Leases;
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  replayEvents: EventEmitter;
  log: Logger;
};

export function backgroundJobs(
  { flows, tokens }: BackgroundJobSettings,
  dependencies: BackgroundJobDependencies,
): { stop: () => Promise<void> } {
  const { store, readModel, queue, leases, log } = dependencies;
  const clock = Date.now;
  const jobs = [
    startReplayRunner({
      ...dependencies,
      clock,
      details: (listenerId) => currentListener(readModel, listenerId),
    }),
  ];
  jobs.push(startOperationalEvents({ ...dependencies, clock }));
  const common = { store, leases, log, clock };
  if (flows.retentionMs !== undefined) {
    const policy = flowRetention({ store, queue, readModel, clock });
    jobs.push(startStreamRetention({ ...common, ...policy, retentionMs: flows.retentionMs }));
  }
  if (tokens.retentionMs !== undefined) {
    const { retentionMs } = tokens;
    const ended = { store, clock, retentionMs };
    for (const policy of [sessionRetention({ ...ended, limits: tokens }), portalRetention(ended)])
      jobs.push(startStreamRetention({ ...common, ...policy, retentionMs }));
  }
  return {
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
