import type { LeasedDelivery } from '../../../src/deliveries/queue/leasing.js';
import { LeaseCapacity } from '../../../src/deliveries/queue/policy/lease-capacity.js';
import { AttemptsInFlight, checkSlowMs, slowAfterMs } from '../../../src/deliveries/worker/attempts-in-flight.js';
import { defaultPerHost, hostSemaphore } from '../../../src/deliveries/worker/host-semaphore.js';
import { leaseRequest } from '../../../src/deliveries/worker/lease-request.js';
import { saturatedHosts } from '../../../src/deliveries/worker/saturated-hosts.js';
import { queuedListener } from './delivery-batches.js';

/** Deliveries that are due at once, each of whose posts takes `postMs`. */
export type Backlog = { orgId: string; listenerId: string; host: string; dueAt: number; count: number; postMs: number };

const probeMs = 60_000;
const jitterMs = 5;

/**
 * Shares the slots and connections of an instance among backlogs as the worker does, in virtual time and without a store:
 * the longest due are leased first, where they have capacity. Returns the start of the first delivery of each listener;
 * those that did not start before `untilMs` are missing.
 */
export function simulateSharing(
  backlogs: readonly Backlog[],
  { concurrency, untilMs }: { concurrency: number; untilMs: number },
): ReadonlyMap<string, number> {
  const inFlight = new AttemptsInFlight(4 * concurrency);
  const hosts = saturatedHosts(hostSemaphore({ perHost: defaultPerHost(concurrency) }));
  const limits = {
    concurrency,
    perListener: Math.max(1, Math.floor(concurrency / 4)),
    perOrganisation: Math.max(1, Math.floor(concurrency / 2)),
    probeMs,
    pollMs: 1_000,
  };
  const parts = { inFlight, hosts, gone: noneGone, outage: noOutage, recorder: { unrecorded: () => 0 } };
  const owned = new Map([[0, { isHeld: () => true }]]);
  const waiting = backlogs.map((backlog) => ({ ...backlog, left: backlog.count }));
  const ends = new Map<number, (() => void)[]>();
  const startedAt = new Map<string, number>();
  let begun = 0;

  function begin(backlog: (typeof waiting)[number], now: number): void {
    const delivery = deliveryTo(backlog, begun);
    begun += 1;
    inFlight.begin(delivery, now);
    const release = hosts.acquire(delivery);
    if (typeof release !== 'function') throw new Error('a leased delivery has to wait for a connection');
    backlog.left -= 1;
    if (!startedAt.has(backlog.listenerId)) startedAt.set(backlog.listenerId, now);
    const end = () => {
      release();
      inFlight.end(delivery);
    };
    const endsAt = now + backlog.postMs + (begun % jitterMs); // else all end and begin together
    ends.set(endsAt, [...(ends.get(endsAt) ?? []), end]);
  }

  function lease(now: number): void {
    const capacity = new LeaseCapacity(leaseRequest({ limits, owned }, parts, now));
    const due = waiting.filter(({ dueAt, left }) => dueAt <= now && left > 0);
    const leased: (typeof waiting)[number][] = [];
    for (const backlog of due.sort((one, other) => one.dueAt - other.dueAt)) {
      const listener = { ...backlog, hookUrl: urlOf(backlog) };
      const count = Math.min(backlog.left, capacity.shareOf(listener));
      capacity.take(listener, count);
      for (let taken = 0; taken < count; taken += 1) leased.push(backlog);
    }
    for (const backlog of leased) begin(backlog, now); // the capacity counts what is in flight
  }

  const times = new Set(backlogs.map(({ dueAt }) => dueAt));
  for (let now = 0; now <= untilMs && startedAt.size < backlogs.length; now = nextTime(now)) {
    for (const end of ends.get(now) ?? []) end();
    ends.delete(now);
    if (now % checkSlowMs === 0) inFlight.releaseSlowSlots(now - slowAfterMs);
    lease(now);
  }
  return startedAt;

  function nextTime(now: number): number {
    const later = [...ends.keys(), ...times].filter((time) => time > now);
    return Math.min(...later, (Math.floor(now / checkSlowMs) + 1) * checkSlowMs);
  }
}

const noneGone = { remove: () => undefined, includes: () => false, listeners: () => [] } as never;
const noOutage = {
  isCurrent: () => false,
  maxInFlight: () => Number.POSITIVE_INFINITY,
  listenerLimits: () => [],
} as never;

const urlOf = ({ host, listenerId }: Backlog): string => `https://${host}/${listenerId}`;

function deliveryTo(backlog: Backlog, number: number): LeasedDelivery {
  const { orgId, listenerId } = backlog;
  const { position: _, paused: __, ...listener } = queuedListener({ orgId, listenerId, hookUrl: urlOf(backlog) });
  const event = { eventId: `${number}`, webhookId: `${number}`, eventType: 'flow.completed', body: '{}' };
  return { ...listener, ...event, id: `${number}`, lease: '', attempt: 1, enqueuedAt: 0, recordedAt: 0 };
}
