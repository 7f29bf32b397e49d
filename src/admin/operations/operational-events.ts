import type { Logger } from 'pino';
import { watchFailures } from '../../kernel/failures.js';
import { repeatUntilAborted } from '../../kernel/unless-aborted.js';
import { emptyBatch } from '../../queue/fan-out-batch.js';
import { positionOf } from '../../queue/reader-positions.js';
import { recordedAt } from '../../stores/event-store/codec.js';
import { EventUndecodable } from '../../stores/event-store/errors.js';
import { categoryOf, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { stillStands } from '../../stores/event-store/read-at.js';
import type { LeasedWork } from '../../stores/leases/leases.js';
import { publishExhausted } from './exhausted-deliveries.js';
import {
  type Following,
  type KeepCheckpoint,
  type OperationalEventsSettings,
  operationalCopies,
} from './operational-copies.js';
import { type OperationalEvent, operationalEventOf } from './operational-event.js';

/** Name of the checkpoint and of the lease. */
const reader = 'operational-events';
const filter = { categories: ['listener', 'replay', 'service'] };
/** Events that are handled again after a crash have the same IDs, so the checkpoint may lag. */
const keepEveryMs = 10_000;

/** Publishes an operational event for each cause in the history, and for deliveries that were exhausted, under one lease. */
export function startOperationalEvents(settings: OperationalEventsSettings): LeasedWork {
  const { leases, queue, clock, log } = settings;
  return leases.hold(reader, async (lease) => {
    const keep: KeepCheckpoint = async (of, position) => {
      await queue.enqueue({ ...emptyBatch, checkpoint: { reader: of, position, term: lease.term } }, clock());
    };
    const untilStopped = (what: string, work: (worked: () => void) => Promise<unknown>) => {
      const failures = watchFailures(log, what);
      return repeatUntilAborted(lease.signal, () => work(failures.recovered), failures.record);
    };
    await Promise.all([
      untilStopped('making operational events', (worked) => followHistory(settings, { lease, keep, worked })),
      untilStopped('counting exhausted deliveries', (worked) => publishExhausted(settings, { keep, worked })),
    ]);
  });
}

/** Begins at the end of the history. */
async function followHistory(settings: OperationalEventsSettings, { lease, keep, worked }: Following): Promise<void> {
  const { store, queue, viewPassed, log } = settings;
  const { signal } = lease;
  const copies = operationalCopies(settings);
  let from = await positionOf(queue, reader);
  if (from === undefined) {
    from = await store.head();
    await keep(reader, from);
  }
  let keptAt = performance.now();
  for await (const { events, position } of store.subscribe({ ...(from >= 0n && { from }), filter, signal })) {
    let published = 0;
    for (const recorded of events) {
      if (categoryOf(recorded.stream) === 'listener') copies.noticeListener(recorded);
      const event = decodedBy(recorded, log);
      if (!event || !(await stillStands(store, recorded))) continue;
      await viewPassed(recorded.position, signal);
      published += await copies.publish(
        { ...event, causeId: recorded.id, at: recordedAt(recorded) },
        recorded.position,
      );
      if (!(await stillStands(store, recorded))) await copies.withdraw(event); // its organisation was erased meanwhile
    }
    worked();
    if (published === 0 && performance.now() - keptAt < keepEveryMs) continue;
    await keep(reader, position);
    keptAt = performance.now();
  }
}

/** Undefined for an event that cannot be decoded: it stops the views, which say so. */
function decodedBy(recorded: RecordedEvent, log: Logger): OperationalEvent | undefined {
  try {
    return operationalEventOf(recorded);
  } catch (error) {
    if (!(error instanceof EventUndecodable)) throw error;
    log.warn({ err: error }, 'no operational event could be made of an event');
    return undefined;
  }
}
