import { randomUUID } from 'node:crypto';
import type { Subscription } from '../../../src/events/listener-events.js';
import { changedSubscription } from '../../../src/listeners/changed-subscription.js';
import type { QueuedListener } from '../../../src/queue/delivery.js';
import type { AttemptReport } from '../../../src/queue/delivery-log.js';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { FanOutBatch } from '../../../src/queue/fan-out-batch.js';
import type { HostConnections, LeasedBatch, LeaseRequest, Outcome } from '../../../src/queue/leasing.js';

/** Fields of the listener, of its subscription and of its secret. */
export type QueuedFields = Partial<QueuedListener & Subscription> & { secretVersion?: number };

export const queuedListener = (fields: QueuedFields = {}): QueuedListener => changedListener(newListener(), fields);

const newListener = (): QueuedListener => ({
  listenerId: randomUUID(),
  orgId: 'acme',
  hookUrl: 'https://hooks.example.com/1',
  subscription: {
    subscriptionType: 'flow.*',
    filter: null,
    transform: null,
    ordered: false,
    ratePerSecond: null,
    description: null,
    signedWithKeyPair: false,
  },
  secret: { keyGeneration: 'g1', version: 1, previous: null },
  paused: false,
  position: 1n,
});

export function changedListener(listener: QueuedListener, fields: QueuedFields): QueuedListener {
  const { subscriptionType, filter, transform, ordered, ratePerSecond, description, secretVersion, ...others } = fields;
  const change = { subscriptionType, filter, transform, ordered, ratePerSecond, description };
  const secret = secretVersion === undefined ? listener.secret : { ...listener.secret, version: secretVersion };
  return { ...listener, subscription: changedSubscription(listener.subscription, change), secret, ...others };
}

export const emptyBatch: FanOutBatch = { messages: [], listeners: [], deliveries: [], ended: [], setAside: [] };

/** A batch of `events` flow events, each to all of the queued, of the organisation of the first. */
export function batchOf(queued: readonly QueuedListener[], events = 1, prefix: string = randomUUID()): FanOutBatch {
  const orgId = queued[0]?.orgId ?? 'acme';
  const messages = Array.from({ length: events }, (_, index) => ({
    eventId: `${prefix}-${index}`,
    publishedId: `published-${prefix}-${index}`,
    orgId,
    type: 'flow.completed',
    position: BigInt(index),
    body: JSON.stringify({ id: `published-${prefix}-${index}`, text: 'Zürich 🎉' }),
    recordedAt: 800 + index,
  }));
  const deliveries = messages.flatMap(({ eventId }) =>
    queued.map(({ listenerId }) => ({
      id: `${eventId}/${listenerId}`,
      webhookId: `${eventId}/${listenerId}`,
      orgId,
      eventId,
      listenerId,
    })),
  );
  return { ...emptyBatch, messages, listeners: queued, deliveries };
}

export type LeaseFields = Partial<Omit<LeaseRequest, 'inFlight'>> & {
  inFlightByListener?: ReadonlyMap<string, number>;
  inFlightByOrganisation?: ReadonlyMap<string, number>;
  hosts?: HostConnections;
};

export const leaseRequest = ({
  inFlightByListener = new Map(),
  inFlightByOrganisation,
  hosts,
  ...fields
}: LeaseFields = {}): LeaseRequest => ({
  limit: 100,
  perListener: 100,
  inFlight: { byListener: inFlightByListener, byOrganisation: inFlightByOrganisation, connections: hosts },
  probeMs: 60_000,
  now: 1_000,
  ...fields,
});

/** Enqueues, then leases. */
export async function enqueueAndLease(
  queue: Pick<DeliveryQueue, 'enqueue' | 'lease'>,
  batch: FanOutBatch,
  now: number,
  request: LeaseRequest,
): Promise<{ added: number; lease: LeasedBatch }> {
  const { added } = await queue.enqueue(batch, now);
  return { added, lease: await queue.lease(request) };
}

type Failure = { byListener?: boolean; report?: AttemptReport; notBefore?: number };
type Leased = { id: string; asRead: string };
const report = { startedAt: 1_000, durationMs: 5 };

export const succeeded = ({ id, asRead }: Leased): Outcome & { kind: 'succeeded' } => ({
  id,
  asRead,
  kind: 'succeeded',
  report: { ...report, status: 200 },
});
/** `fields`: what the attempt saw instead of an answer of 500, and whether that says something about the listener. */
export const failed = ({ id, asRead }: Leased, retryAt: number, fields: Failure = {}): Outcome => ({
  id,
  asRead,
  kind: 'failed',
  retryAt,
  byListener: true,
  report: { ...report, status: 500, error: 'http_status' },
  ...fields,
});
export const exhausted = ({ id, asRead }: Leased): Outcome => ({
  id,
  asRead,
  kind: 'exhausted',
  byListener: true,
  report: { ...report, error: 'refused' },
});
export const released = ({ id, asRead }: Leased): Outcome => ({ id, asRead, kind: 'released' });
