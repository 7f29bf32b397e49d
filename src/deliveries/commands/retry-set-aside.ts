import { readFlowEvent } from '../../flows/flow-event.js';
import { searchablePaths } from '../../flows/types/search-terms.js';
import { DomainError } from '../../kernel/domain-error.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { SetAside, SetAsideChange, SetAsideEvent } from '../../queue/delivery.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import { emptyBatch } from '../../queue/fan-out-batch.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { categoryOf, type EventStore, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { FanOutBatchBuilder } from '../fan-out/fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent, gatherReplayEvent } from '../fan-out/fan-out-event.js';
import type { RegisteredAt } from '../fan-out/listeners.js';
import { paceInTurns } from '../fan-out/pace.js';
import { type RequireOwnStream, streamOrganisations } from '../fan-out/stream-organisations.js';

/** No event of this stream and revision is set aside: it never was, or another caller has retried it. */
class NotSetAside extends DomainError {
  readonly code = 'not_set_aside';

  constructor({ stream, revision }: SetAsideEvent) {
    super(`the event at revision ${revision} of ${stream} is not set aside`);
  }
}

export type RetrySetAside = {
  store: EventStore;
  queue: Pick<DeliveryQueue, 'enqueue' | 'setAside'>;
  registeredAt: RegisteredAt;
  /** Resolves once the listeners view holds this listener event; rejects with the signal's reason when it aborts. */
  viewPassed: (position: bigint, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970. */
  clock: () => number;
};

/** Result of a retry; `deliveries`: the number added to the queue. */
export type Retried = SetAside & ({ outcome: 'handed-over'; deliveries: number } | { outcome: 'set-aside' });

export type SetAsideRetries = {
  /** Retries this event. Throws `NotSetAside`, and `StoreUnavailable` as all of them do. */
  one: (event: SetAsideEvent) => Promise<Retried>;
  /**
   * Retries up to `limit` events after the position `after`, in order. If it throws, the events retried before stay so.
   */
  page: (page: { after?: bigint; limit: number }) => Promise<readonly Retried[]>;
};

/** Maximum wait for the view; a slower view has stopped, or no process updates it. */
const viewTimeoutMs = 5_000;

/**
 * Enqueues set-aside events for the listeners registered at their positions, as the fan-out would have, and leaves its
 * checkpoint. Deliveries are enqueued before an event leaves the list, under the fan-out's IDs: an interrupted or
 * concurrent retry has the same result. An event that still cannot be decoded stays, with its newest reason.
 */
export function setAsideRetries({ store, queue, registeredAt, viewPassed, clock }: RetrySetAside): SetAsideRetries {
  const searchableOf = searchablePaths(store);

  async function handOver(recorded: RecordedEvent, requireOwnStream: RequireOwnStream): Promise<number> {
    const part = new FanOutBatchBuilder();
    let deliveries = 0;
    const flush = async () => {
      deliveries += (await queue.enqueue(part.take(), clock())).added;
    };
    const category = categoryOf(recorded.stream);
    if (category === 'listener') gatherListenerEvent(part, recorded);
    else if (category === 'replay') gatherReplayEvent(part, recorded);
    else {
      const event = readFlowEvent(recorded);
      await requireOwnStream(event, recorded);
      const { position } = recorded;
      await requireView(position);
      const registered = registeredAt(event.orgId, position);
      const searchable = await searchableOf(event.type);
      const matching = { handOver: flush, pace: paceInTurns() };
      await gatherDeliveries(part, { event, position, registered, searchable }, matching);
    }
    if (!part.isEmpty) await flush();
    return deliveries;
  }

  /** Waits as the fan-out does: between two listener events the view's position may not move. */
  async function requireView(before: bigint): Promise<void> {
    const listeners = { filter: { categories: ['listener'] }, direction: 'backwards', limit: 1 } as const;
    for await (const { position } of store.readAll({ from: before, ...listeners })) {
      const timeout = AbortSignal.timeout(viewTimeoutMs);
      await viewPassed(position, timeout).catch((error: unknown) => {
        if (!timeout.aborted) throw error;
        throw new StoreUnavailable(`the view listeners has not reached position ${position}`);
      });
    }
  }

  const change = (one: SetAsideChange) => queue.enqueue({ ...emptyBatch, setAsideChanges: [one] }, clock());

  async function retry(aside: SetAside, requireOwnStream: RequireOwnStream): Promise<Retried> {
    try {
      const deliveries = await handOver(await recordedEvent(store, aside), requireOwnStream);
      await change({ position: aside.position });
      return { ...aside, outcome: 'handed-over', deliveries };
    } catch (error) {
      if (!(error instanceof EventUndecodable)) throw error;
      const { message: reason } = error;
      await change({ position: aside.position, reason });
      return { ...aside, reason, outcome: 'set-aside' };
    }
  }

  return {
    async one(event) {
      const [aside] = await queue.setAside({ event });
      if (!aside) throw new NotSetAside(event);
      return retry(aside, streamOrganisations(store));
    },
    async page({ after, limit }) {
      const requireOwnStream = streamOrganisations(store);
      const retried: Retried[] = [];
      for (const aside of await queue.setAside({ limit, after })) {
        retried.push(await retry(aside, requireOwnStream));
      }
      return retried;
    },
  };
}

/** Read anew: it may be another release that could not decode it. Throws `EventUndecodable` where it is gone. */
async function recordedEvent(store: EventStore, aside: SetAside): Promise<RecordedEvent> {
  const { stream, revision } = aside;
  const recorded = await readFirstIfExists(store.readStream(stream, { from: revision, limit: 1 }));
  if (recorded?.revision === revision) return recorded;
  throw new EventUndecodable(aside, 'it is no longer in the event store');
}
