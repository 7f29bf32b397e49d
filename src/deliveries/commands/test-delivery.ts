import { randomUUID } from 'node:crypto';
import type { ListenerDetails } from '../../events/listener-events.js';
import { bodyOf } from '../../flows/flow-event.js';
import { samplePayload } from '../../flows/samples/static-samples.js';
import { sleepUnlessAborted } from '../../kernel/unless-aborted.js';
import type { DeliveryState } from '../../queue/delivery.js';
import type { AttemptReport } from '../../queue/delivery-log.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { queuedListenerOf } from '../fan-out/queued-listener.js';

export type TestDelivery = {
  deliveryId: string;
  eventId: string;
  state: DeliveryState;
  /** Undefined where no attempt has been made in time. */
  attempt: AttemptReport | undefined;
};

type Queue = Pick<DeliveryQueue, 'enqueue' | 'deliveries' | 'withdraw'>;

export type SendTestDelivery = {
  queue: Queue;
  /** Milliseconds since 1970. */
  clock: () => number;
  waitMs?: number;
  /** Ends the wait early, as if `waitMs` had passed. */
  signal?: AbortSignal;
};

const lookEveryMs = 50;
const never = new AbortController().signal;

/** A position without an event, so that the sample is not found among past flow events. */
const nowhere = -1n;

/**
 * Sends a listener a sample of its subscription through the queue, without retries. Waits at most `waitMs` for the
 * outcome. A sample without an attempt by then is cancelled; an attempt under way ends on its own.
 */
export async function sendTestDelivery(
  { queue, clock, waitMs = 5_000, signal = never }: SendTestDelivery,
  details: ListenerDetails,
): Promise<TestDelivery> {
  const { orgId, listenerId, subscription } = details;
  const [deliveryId, eventId] = [randomUUID(), randomUUID()];
  const event = {
    ...samplePayload(subscription.subscriptionType),
    eventId,
    orgId,
    id: eventId,
    timestamp: new Date(clock()).toISOString(),
  };
  const replay = `test-${deliveryId}`; // so that it can be cancelled by itself
  await queue.enqueue(
    {
      messages: [
        {
          eventId,
          publishedId: event.id,
          orgId,
          type: event.type,
          position: nowhere,
          body: bodyOf(event),
          recordedAt: undefined,
        },
      ],
      // Whatever the queue knows of the listener stands.
      listeners: [queuedListenerOf(details, { paused: false, position: 0n })],
      deliveries: [{ id: deliveryId, webhookId: deliveryId, orgId, eventId, listenerId, replay }],
      ended: [],
      setAside: [],
    },
    clock(),
  );

  const deadline = performance.now() + waitMs;
  for (;;) {
    const [delivery] = (await queue.deliveries({ orgId, id: deliveryId })).deliveries;
    const { attempts, state } = delivery ?? { attempts: 0, state: 'waiting' };
    if (attempts > 0 || state !== 'waiting' || signal.aborted || performance.now() >= deadline) {
      const goesOn = state === 'waiting' || state === 'held';
      if (goesOn) await queue.withdraw({ replay });
      return { deliveryId, eventId, state: goesOn ? 'cancelled' : state, attempt: delivery?.log?.at(-1) };
    }
    await sleepUnlessAborted(lookEveryMs, signal);
  }
}
