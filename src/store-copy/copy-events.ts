import { WrongExpectedRevision } from '../stores/event-store/errors.js';
import {
  type EventStore,
  type LogReader,
  maxAppendBytes,
  type RecordedEvent,
  type StreamReader,
} from '../stores/event-store/event-store.js';
import { stillStands } from '../stores/event-store/read-at.js';
import { appendBytesOf } from '../stores/event-store/serialise.js';
import { copiedDigestOf, copiedEvent, differenceOf } from './copied-event.js';
import type { CopyLedger } from './copy-ledger.js';
import { CopyDiffers, CopyRefused } from './errors.js';

type OnEvent = (position: bigint) => void;

export type SourceEvents = StreamReader & LogReader;
export type TargetEvents = Pick<EventStore, 'readAll' | 'append'>;

/**
 * Source position of the target's last event; -1n: empty. Throws `CopyRefused` where the target's events are no prefix
 * of the source's.
 */
export async function findEnd(
  source: SourceEvents,
  target: TargetEvents,
  { begun, onEvent }: { begun: boolean; onEvent: OnEvent },
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
 * EventStoreDB returns deleted events until a scavenge, and continues a recreated stream's revisions: the copy could
 * not become equal.
 */
const deletedSince = ({ stream }: RecordedEvent) =>
  new CopyRefused(
    `the source has deleted ${stream} since an earlier copy: deleted events must not remain in a copy, so copy ` +
      'into an empty EventStoreDB and an empty database',
  );

/**
 * Appends one by one, in the source's order. A late append of an earlier copy has no effect: same ids and revisions.
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

/** Fills the ledger. Throws `CopyDiffers`, which names the first difference. */
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

/** EventStoreDB would store them, but not return them in filtered reads. */
function requireNotReserved({ stream, type, revision }: RecordedEvent): void {
  if (!stream.startsWith('$') && !type.startsWith('$')) return;
  throw new CopyRefused(`EventStoreDB reserves names that begin with $: ${type} at revision ${revision} of ${stream}`);
}

type Pair = { original: RecordedEvent | undefined; copy: RecordedEvent | undefined };

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

/** Consecutive events of one stream: one append keeps the order. */
export type Run = readonly [RecordedEvent, ...RecordedEvent[]];

/** A larger append overflows a subscriber's buffer in EventStoreDB, which then restarts. */
const maxEvents = 32;

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

function bytesOf(event: RecordedEvent): number {
  const { type, data, metadata } = copiedEvent(event);
  return appendBytesOf([{ type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }]);
}
