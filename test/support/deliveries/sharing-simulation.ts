import { startWorker } from '../../../src/deliveries/worker/worker.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery, LeaseRequest } from '../../../src/queue/leasing.js';
import { defaultPerHost, LeaseCapacity } from '../../../src/queue/policy/fair-sharing.js';
import { inVirtualTime } from '../virtual-time.js';
import { queuedListener } from './delivery-batches.js';
import { answered, workerSettings } from './worker-settings.js';

/** Deliveries that are due at once, each of whose posts takes `postMs`. */
export type Backlog = { orgId: string; listenerId: string; host: string; dueAt: number; count: number; postMs: number };

const jitterMs = 5;

/**
 * Has a worker attempt backlogs in virtual time, from a queue in memory that leases the longest due first, where they have capacity.
 * Returns the start of the first post to each listener; those that did not start before `untilMs` are missing.
 */
export function simulateSharing(
  backlogs: readonly Backlog[],
  { concurrency, untilMs }: { concurrency: number; untilMs: number },
): Promise<ReadonlyMap<string, number>> {
  return inVirtualTime(async (time) => {
    const startedAt = new Map<string, number>();
    const byUrl = new Map(backlogs.map((backlog) => [urlOf(backlog), backlog]));
    let posts = 0;
    const worker = startWorker(
      workerSettings(queueOf(backlogs), {
        concurrency,
        perListener: Math.max(1, Math.floor(concurrency / 4)),
        perOrganisation: Math.max(1, Math.floor(concurrency / 2)),
        perHost: defaultPerHost(concurrency),
        pollMs: 1_000,
        clock: time.now,
        headersOf: () => ({}),
        async post({ url, mayStart }) {
          if (!mayStart()) return { kind: 'withheld' };
          const { listenerId, postMs } = byUrl.get(url) as Backlog; // the queue has no others
          if (!startedAt.has(listenerId)) startedAt.set(listenerId, time.now());
          posts += 1;
          const durationMs = postMs + (posts % jitterMs); // else all end and begin together
          await new Promise((resolve) => setTimeout(resolve, durationMs));
          return answered;
        },
      }),
    );
    for (const { dueAt } of backlogs) setTimeout(worker.wake, dueAt);
    await time.passUntil(() => startedAt.size === backlogs.length, untilMs);
    const stopped = worker.stop(0);
    await time.passUntil(() => worker.status().underWay === 0, untilMs + 60_000);
    await stopped;
    return startedAt;
  });
}

function queueOf(backlogs: readonly Backlog[]): DeliveryQueue {
  const waiting = backlogs
    .map((backlog) => ({ ...backlog, left: backlog.count, hookUrl: urlOf(backlog) }))
    .sort((one, other) => one.dueAt - other.dueAt);
  let leased = 0;

  async function lease(request: LeaseRequest) {
    const capacity = new LeaseCapacity(request);
    const deliveries: LeasedDelivery[] = [];
    const due = waiting.filter(({ dueAt, left }) => dueAt <= request.now && left > 0);
    for (const backlog of due) {
      const count = Math.min(backlog.left, capacity.shareOf(backlog));
      capacity.take(backlog, count);
      backlog.left -= count;
      for (let taken = 0; taken < count; taken += 1) {
        leased += 1;
        deliveries.push(deliveryTo(backlog, leased));
      }
    }
    const isMoreDue = capacity.left === 0 && due.some(({ left }) => left > 0);
    return { deliveries, nextDueAt: isMoreDue ? request.now : undefined, ...capacity.saturated() };
  }

  const record = async () => ({ counted: 0, troubled: [] });
  return { lease, record } as Partial<DeliveryQueue> as DeliveryQueue; // the worker calls no more of it here
}

const urlOf = ({ host, listenerId }: Backlog): string => `https://${host}/${listenerId}`;

function deliveryTo(backlog: Backlog, number: number): LeasedDelivery {
  const { orgId, listenerId } = backlog;
  const { position: _, paused: __, ...listener } = queuedListener({ orgId, listenerId, hookUrl: urlOf(backlog) });
  const event = { eventId: `${number}`, webhookId: `${number}`, eventType: 'flow.completed', body: '{}' };
  return { ...listener, ...event, id: `${number}`, asRead: '0.0', attempt: 1, enqueuedAt: 0, recordedAt: 0 };
}
