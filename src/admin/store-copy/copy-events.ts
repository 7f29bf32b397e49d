import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import { type EventStore, maxAppendBytes, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { stillStands } from '../../stores/event-store/read-at.js';
import { appendBytesOf } from '../../stores/event-store/serialise.js';
import { CopyDiffers, CopyRefused } from '../errors.js';
import { copiedDigestOf, copiedEvent, differenceOf } from './copied-event.js';
import type { CopyLedger } from './copy-ledger.js';

/** Called with the source position of each processed event. */
type OnEvent = (position: bigint) => void;

type SourceEvents = Pick<EventStore, 'readAll' | 'readStream'>;
type TargetEvents = Pick<EventStore, 'readAll' | 'append'>;

/**
 * The source position of the last event that the target has, -1n where it has none. Throws `CopyRefused` where the events of
 * the target are not a prefix of the source's. `begun`: an earlier copy into this target was started.
 */
export async function findEnd(
  source: SourceEvents,
  target: TargetEvents,
  { begun, onEvent }: { readonly begun: boolean; readonly onEvent: OnEvent },
): Promise<bigint> {
  let end = -1n;
  for await (const { original, copy } of inLockstep(source.readAll(), target.readAll())) {
    if (!copy) return end;
    const difference = differenceOf(original, copy);
    if (difference !== undefined || !original) {
      if (begun && !(await stillStands(source, copy))) throw deletedSince(copy);
      throw new CopyRefused(`the target holds events that are not of this copy: ${difference}`);
    }
    end = original.position;
    onEvent(end);
  }
  return end;
}

/**
 * An organisation was erased between two copies, or an old stream was deleted. EventStoreDB still returns deleted events until
 * a scavenge, and continues the revisions of a stream that is written again, so the copy could not become equal.
 */
const deletedSince = ({ stream }: RecordedEvent) =>
  new CopyRefused(
    `the source has deleted ${stream} since an earlier copy: deleted events must not remain in a copy, so copy ` +
      'into an empty EventStoreDB and an empty database',
  );

/**
 * Appends the events after a position, one append at a time, so that the order is that of the source. An append of an earlier
 * copy that arrives late has no effect: it has the same ids at the same revisions.
 */
export async function appendAfter(
  end: bigint,
  source: SourceEvents,
  target: TargetEvents,
  onEvent: OnEvent,
): Promise<void> {
  for await (const run of runsOf(source.readAll({ from: end }))) {
    const [{ stream, revision }] = run;
    run.forEach(requireNotReserved);
    try {
      await target.append(stream, run.map(copiedEvent), {
        expectedRevision: revision === 0n ? 'no-stream' : revision - 1n,
      });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      throw new CopyRefused(`another process is writing the target: ${error.message}`, { cause: error });
    }
    onEvent(run.at(-1)?.position ?? end);
  }
}

/**
 * Reads both sides from the beginning, and adds each event's positions to the ledger. Throws `CopyDiffers`, which names
 * the first event that is missing, surplus, out of order or different.
 */
export async function verifyEvents(
  source: SourceEvents,
  target: TargetEvents,
  ledger: CopyLedger,
  onEvent: OnEvent,
): Promise<void> {
  for await (const { original, copy } of inLockstep(source.readAll(), target.readAll())) {
    const difference = differenceOf(original, copy);
    if (difference !== undefined || !original || !copy) throw new CopyDiffers(`the copy is wrong: ${difference}`);
    ledger.add({
      stream: original.stream,
      from: original.position,
      to: copy.position,
      digest: copiedDigestOf(original),
    });
    onEvent(original.position);
  }
}

/** EventStoreDB reserves names with a `$`: it would store the event, but filtered reads would not return it. */
function requireNotReserved({ stream, type, revision }: RecordedEvent): void {
  if (!stream.startsWith('$') && !type.startsWith('$')) return;
  throw new CopyRefused(`EventStoreDB reserves names that begin with $: ${type} at revision ${revision} of ${stream}`);
}

/** The events at the same place on both sides; undefined on a side that has ended. */
type Pair = { readonly original: RecordedEvent | undefined; readonly copy: RecordedEvent | undefined };

/** Reads both sides event by event, until both have ended. */
async function* inLockstep(
  source: AsyncIterable<RecordedEvent>,
  target: AsyncIterable<RecordedEvent>,
): AsyncGenerator<Pair> {
  const [originals, copies] = [source[Symbol.asyncIterator](), target[Symbol.asyncIterator]()];
  try {
    for (;;) {
      const [original, copy] = [await originals.next(), await copies.next()];
      if (original.done && copy.done) return;
      yield {
        original: original.done ? undefined : original.value,
        copy: copy.done ? undefined : copy.value,
      };
    }
  } finally {
    await Promise.all([originals.return?.(), copies.return?.()]);
  }
}

/** Consecutive events of one stream in the order of all events, so that one append keeps the order. Never empty. */
export type Run = readonly [RecordedEvent, ...RecordedEvent[]];

/** Maximum number of events in an append: a larger one overflows the buffer of a subscriber of EventStoreDB, which then restarts. */
const maxEvents = 32;

/** Divides a history into runs that fit into one append. */
export async function* runsOf(events: AsyncIterable<RecordedEvent>): AsyncGenerator<Run> {
  let run: [RecordedEvent, ...RecordedEvent[]] | undefined;
  let bytes = 0;
  for await (const event of events) {
    const size = bytesOf(event);
    if (run && run[0].stream === event.stream && run.length < maxEvents && bytes + size <= maxAppendBytes) {
      run.push(event);
      bytes += size;
      continue;
    }
    if (run) yield run;
    run = [event];
    bytes = size;
  }
  if (run) yield run;
}

/** Size of the event's copy in an append. */
function bytesOf(event: RecordedEvent): number {
  const { type, data, metadata } = copiedEvent(event);
  return appendBytesOf([{ type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }]);
}
