import { expect } from 'chai';
import type { DeliveryQueue } from '../../../src/queue/delivery-queue.js';
import type { LeasedDelivery } from '../../../src/queue/leasing.js';
import { leaseRequest, queuedListener, succeeded } from '../../support/deliveries/delivery-batches.js';
import { recordedDeliveries } from '../../support/releases/recorded-deliveries.js';
import { second } from '../delivery-queue/context.js';

export const recorded = recordedDeliveries();
const { listeners } = recorded;
/** Position of the fan-out's checkpoints. */
export const position = BigInt(recorded.position);
/** Time after all that was recorded. */
export const later = recorded.noon + second;

export const listenerOf = (event: string): string => event.replace(/-\d+$/, '');
export const nameOf = ({ body }: LeasedDelivery): string => JSON.parse(body).id;
export const idOfListener = (name: string): string => listeners[name] ?? name;
export const nameOfListener = (listenerId: string): string =>
  Object.entries(listeners).find(([, id]) => id === listenerId)?.[0] ?? listenerId;

/** Delivery of an event after the recorded ones. */
export const queued = (name: string) =>
  queuedListener({
    listenerId: idOfListener(name),
    hookUrl: `https://hooks.example.com/${name}`,
    position: position + 10n,
  });

export type RecordedContext = {
  queue: () => DeliveryQueue;
  /** Closes the queue and opens it again. */
  reopen: () => Promise<void>;
  /** Opens the queue on another copy, in which the leases of the killed process expire after this time. */
  openLeased: (leasesEndInMs: number) => Promise<void>;
  /** Names of the fan-out's readers; the first has waiting events. */
  readers: readonly [string, ...string[]];
};

/** Attempts what is due until nothing is, each with success. Returns `event attempt`, in their order. */
export async function attemptAll(queue: DeliveryQueue, now: number): Promise<readonly string[]> {
  const attempted: string[] = [];
  for (;;) {
    const { deliveries } = await queue.lease(leaseRequest({ now }));
    if (deliveries.length === 0) return attempted;
    attempted.push(...deliveries.map((each) => `${nameOf(each)} ${each.attempt}`));
    expect(await queue.record(deliveries.map(succeeded), now)).to.include({ counted: deliveries.length });
  }
}

/** `event state attempts` of a listener, in the order of the events. */
export const statesOf = async (queue: DeliveryQueue, name: string): Promise<readonly string[]> =>
  (await queue.deliveries({ orgId: 'acme', listenerId: idOfListener(name) })).deliveries
    .toReversed()
    .map(({ publishedId, state, attempts }) => `${publishedId} ${state} ${attempts}`);
