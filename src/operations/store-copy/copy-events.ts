import { WrongExpectedRevision } from '../../stores/event-store/errors.js';
import type { EventStore, RecordedEvent } from '../../stores/event-store/event-store.js';
import { stillStands } from '../../stores/event-store/read-at.js';
import { copiedDigestOf, copiedEvent, differenceOf } from './copied-event.js';
import type { CopyLedger } from './copy-ledger.js';
import { CopyDiffers, CopyRefused } from './errors.js';
import { inStep } from './in-step.js';
import { runsOf } from './runs.js';

/** Where an event of the source stands that has been dealt with. */
export type OnEvent = (position: bigint) => void;

export type SourceEvents = Pick<EventStore, 'readAll' | 'readStream'>;
export type TargetEvents = Pick<EventStore, 'readAll' | 'append'>;

/**
 * How far an earlier copy has come: the position in the source of the last event that the target has, -1n where it has
 * none. Throws `CopyRefused` where the target holds anything else than the beginning of the source; `begun`: an earlier copy may
 * have brought it.
 */
export async function findEnd(
  source: SourceEvents,
  target: TargetEvents,
  { begun, onEvent }: { readonly begun: boolean; readonly onEvent: OnEvent },
): Promise<bigint> {
  let end = -1n;
  for await (const { original, copy } of inStep(source.readAll(), target.readAll())) {
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
 * An organisation was erased between two copies, or what is too old was deleted. EventStoreDB goes on giving what is deleted
 * until it is scavenged, and counts the revisions of a stream that begins again from there: no copy of that would be the same.
 */
const deletedSince = ({ stream }: RecordedEvent) =>
  new CopyRefused(
    `the source has deleted ${stream} since an earlier copy brought it: what is deleted must not live on in a copy, so copy ` +
      'into an empty EventStoreDB and an empty database',
  );

/**
 * Appends what follows a position, one append after another, so that the order is that of the source. An append that an
 * earlier copy had sent, and that arrives late, is the same one for the target: it has the same ids at the same place.
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
      throw new CopyRefused(`the target is being written by somebody else: ${error.message}`, { cause: error });
    }
    onEvent(run.at(-1)?.position ?? end);
  }
}

/**
 * Reads both sides from their beginning, and notes in the ledger where each event went. Throws `CopyDiffers`, which names
 * the first event that is missing, surplus, out of its order or not the same.
 */
export async function verifyEvents(
  source: SourceEvents,
  target: TargetEvents,
  ledger: CopyLedger,
  onEvent: OnEvent,
): Promise<void> {
  for await (const { original, copy } of inStep(source.readAll(), target.readAll())) {
    const difference = differenceOf(original, copy);
    if (difference !== undefined || !original || !copy) throw new CopyDiffers(`the copy is not right: ${difference}`);
    ledger.add({
      stream: original.stream,
      from: original.position,
      to: copy.position,
      digest: copiedDigestOf(original),
    });
    onEvent(original.position);
  }
}

/** EventStoreDB keeps such names for itself: it would take the event, and nobody would be given it. */
function requireNotReserved({ stream, type, revision }: RecordedEvent): void {
  if (!stream.startsWith('$') && !type.startsWith('$')) return;
  throw new CopyRefused(`EventStoreDB keeps names with a $ for itself: ${type} at revision ${revision} of ${stream}`);
}
