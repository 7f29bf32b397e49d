import type { QueuedListener } from '../../queue/delivery.js';
import { countDeliveries, deliveryPages, pageOf } from '../../queue/delivery-pages.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import type { ReaderPositions } from '../../queue/reader-positions.js';
import type { LogReader } from '../../stores/event-store/event-store.js';
import { fanOutPassed } from '../fan-out/partitions.js';

type Listener = Pick<QueuedListener, 'orgId' | 'listenerId'>;

/** Maximum wait for the fan-out, as the caller waits for an answer; a fan-out that keeps up needs none of it. */
export const defaultFanOutTimeoutMs = 5_000;

export type ReleaseHeld = {
  queue: ReaderPositions & Pick<DeliveryQueue, 'deliveries' | 'redeliver'>;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Maximum wait for the fan-out to reach the resume. */
  fanOutTimeoutMs?: number;
};

/** Held deliveries of a resumed listener. */
export type ReleasedHeld = {
  held: number;
  redelivered: number;
  /** The fan-out has not come up to the resume: what happened during the pause may yet come in as held. */
  moreMayCome: boolean;
};

/**
 * Waits until the fan-out has handled the events of the pause, then releases the held deliveries if requested, and
 * counts those still held. If the fan-out is too slow, does so with the present ones, and reports it. `resumedAt`: the
 * position of the resume; undefined: never resumed.
 */
export async function releaseHeld(
  { queue, clock, fanOutTimeoutMs = defaultFanOutTimeoutMs }: ReleaseHeld,
  listener: Listener,
  { resumedAt, redeliver }: { resumedAt: bigint | undefined; redeliver: boolean },
): Promise<ReleasedHeld> {
  const { orgId } = listener;
  const allCame =
    resumedAt === undefined || (await fanOutPassed(queue, { orgId, position: resumedAt }, fanOutTimeoutMs));
  const redelivered = redeliver ? await redeliverHeld(queue, listener, clock) : 0;
  return { held: await countDeliveries(queue, heldOf(listener)), redelivered, moreMayCome: !allCame };
}

/** Number of held deliveries of a listener, after the fan-out has handled the present flow events or the wait has ended. */
export async function heldSoFar(
  { queue, fanOutTimeoutMs = defaultFanOutTimeoutMs }: ReleaseHeld,
  store: LogReader,
  listener: Listener,
): Promise<number> {
  const last = { filter: { categories: ['flow'] }, direction: 'backwards', limit: 1 } as const;
  const { orgId } = listener;
  for await (const { position } of store.readAll(last)) await fanOutPassed(queue, { orgId, position }, fanOutTimeoutMs);
  return countDeliveries(queue, heldOf(listener));
}

/**
 * Makes the held deliveries of a listener due, those of the earliest flow events first, for ordered listeners. Returns
 * their number. A repeat continues after a crash.
 */
async function redeliverHeld(
  queue: Pick<DeliveryQueue, 'deliveries' | 'redeliver'>,
  listener: Listener,
  clock: () => number,
): Promise<number> {
  let count = 0;
  for (const { after } of (await deliveryPages(queue, heldOf(listener))).reverse()) {
    const { redelivered } = await queue.redeliver(pageOf(heldOf(listener), after), clock());
    count += redelivered;
  }
  return count;
}

const heldOf = ({ orgId, listenerId }: Listener) => ({ orgId, listenerId, states: ['held' as const] });
