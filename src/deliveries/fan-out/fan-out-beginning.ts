import { randomUUID } from 'node:crypto';
import { FanOutBegan, type FanOutEvent, fanOutStream } from '../../events/fan-out-events.js';
import { DomainError } from '../../kernel/domain-error.js';
import { codecFor } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { type Decider, handle, load } from '../../stores/event-store/handle.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherListenerEvent } from './fan-out-event.js';

type FanOutHistory = { readonly begun: boolean };

const fanOutDecider: Decider<FanOutHistory, FanOutEvent> = {
  codec: codecFor([FanOutBegan]),
  initialState: () => ({ begun: false }),
  evolve: () => ({ begun: true }),
};

const beginFanOut = ({ begun }: FanOutHistory): FanOutEvent[] => (begun ? [] : [{ type: 'FanOutBegan', data: {} }]);

/** The queue knows of no beginning though there was one: its database was lost, and sending all again is no option. */
class DeliveriesLost extends DomainError {
  readonly code = 'deliveries_lost';
}

export const fanOutReader = 'fan-out';
/** Start position, exclusive: the queue knows the position of every flow event after it. */
export const fanOutBeginningReader = 'fan-out-beginning';

export type Beginning = {
  readonly store: EventStore;
  readonly queue: DeliveryQueue;
  readonly startFrom?: bigint | undefined;
  readonly term: bigint;
  readonly clock: () => number;
};

const partSize = 1_000;
const nothing = { messages: [], listeners: [], deliveries: [], ended: [], setAside: [] };

/**
 * Position after which the fan-out continues, exclusive. Its first beginning ever is an event, which distinguishes a lost queue
 * from a new one. Throws `DeliveriesLost`.
 */
export async function fanOutBeginning(settings: Beginning): Promise<bigint> {
  const { store, queue, term, clock } = settings;
  const kept = await queue.checkpoint(fanOutReader);
  if (kept === undefined) {
    const position = await chosen(settings);
    await closeGates(settings, position);
    for (const reader of [fanOutBeginningReader, fanOutReader]) {
      await queue.enqueue({ ...nothing, checkpoint: { reader, position, term } }, clock());
    }
    await recordBeginning(store, clock());
    return position;
  }
  await recordBeginning(store, clock()); // the process that wrote the checkpoint may have died before this step
  return kept;
}

/** Before the first listener was registered, nothing can have been delivered; what happened since then is owed, if we are new. */
async function chosen({ store, startFrom }: Beginning): Promise<bigint> {
  if (startFrom !== undefined) return startFrom;
  const head = await store.head();
  const firstListener = await firstOf(store, 'listener');
  if (firstListener === undefined) return head;
  if ((await hasBegun(store)) && (await firstOf(store, 'flow')) !== undefined) {
    throw new DeliveriesLost('flow events have happened, but the delivery queue knows nothing of them');
  }
  return firstListener;
}

/**
 * The gates were lost with the queue. They close first, so that a removed listener gets nothing, not even events from
 * before its removal.
 */
async function closeGates({ store, queue, clock }: Beginning, from: bigint): Promise<void> {
  const batch = new FanOutBatchBuilder();
  let gathered = 0;
  for await (const recorded of store.readAll({ from, filter: { categories: ['listener'] } })) {
    gather(batch, recorded);
    gathered += 1;
    if (gathered % partSize === 0) await queue.enqueue(batch.take(), clock());
  }
  if (!batch.isEmpty) await queue.enqueue(batch.take(), clock());
}

function gather(batch: FanOutBatchBuilder, recorded: RecordedEvent): void {
  try {
    gatherListenerEvent(batch, recorded);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    batch.addSetAside(error);
  }
}

async function firstOf(store: EventStore, category: string): Promise<bigint | undefined> {
  for await (const { position } of store.readAll({ filter: { categories: [category] }, limit: 1 })) return position;
  return undefined;
}

async function hasBegun(store: EventStore): Promise<boolean> {
  return (await load(store, fanOutStream, fanOutDecider)).state.begun;
}

async function recordBeginning(store: EventStore, now: number): Promise<void> {
  await handle(store, fanOutStream, fanOutDecider, beginFanOut, {
    cause: { actor: 'service', correlationId: randomUUID() },
    now: new Date(now),
  });
}
