import {
  ANY,
  type AppendExpectedRevision,
  jsonEvent,
  NO_STREAM,
  NotLeaderError,
  STREAM_EXISTS,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { keyedMutex } from '../../../kernel/keyed-mutex.js';
import { StoreUnusable } from '../../../kernel/store-errors.js';
import { AppendTooLarge, StreamNotFound, WrongExpectedRevision } from '../errors.js';
import type { AppendResult, ExpectedRevision, RecordedEvent } from '../event-store.js';
import { appendBytesOf, type SerialisedEvent } from '../serialise.js';
import type { Connection } from './connection/connection.js';
import { isDenied, isTransient, refusedAbove } from './failures.js';
import type { Timing } from './patience.js';
import { type Patience, patience } from './patience.js';
import type { Reader } from './reading/read.js';
import type { Slots } from './slots.js';
import type { StatusPart } from './status.js';
import { within } from './within.js';

export type Append = {
  readonly stream: string;
  readonly events: readonly SerialisedEvent[];
  readonly expected: ExpectedRevision;
};

export type AppendDependencies = {
  readonly connection: Connection;
  readonly slots: Slots;
  readonly reader: Reader;
  readonly timing: Timing;
  readonly calls: StatusPart;
};

/** Finishes a deletion that was cut short, if a stream has one; resolves to whether it had. */
export type CompleteDeletion = (stream: string, own: Patience) => Promise<boolean>;

/** Where an append whose answer was lost is looked for in its stream, at the most, before it is sent again. */
const settleWithin = 1_000;
/** The client's own deadline comes first; this is for where it waits for something else, such as a node to be found. */
const graceMs = 250;

/**
 * Appends to one stream go one after the other, so that they keep their order; to different streams side by side.
 *
 * A failure that leaves open whether the events were written is settled by reading them back, and only what is not there
 * is sent again, with the same ids.
 */
export function appender(
  { connection, slots, reader, timing, calls }: AppendDependencies,
  completeDeletion: CompleteDeletion,
) {
  const perStream = keyedMutex();

  async function send({ stream, events, expected }: Append, own: Patience): Promise<AppendResult> {
    const release = await slots.take(own.leftMs());
    try {
      const deadline = Math.min(timing.callMs, own.leftMs());
      const { nextExpectedRevision, position } = await within(
        deadline + graceMs,
        connection.appendToStream(stream, events.map(toEventData), {
          expectedRevision: toExpectation(expected),
          requiresLeader: true,
          deadline: Math.ceil(deadline),
        }),
      );
      calls.working();
      // Without a position they had been written before and are hidden: the stream has been deleted since.
      return { revision: nextExpectedRevision, position: position?.commit ?? -1n };
    } finally {
      release();
    }
  }

  async function appendEvents(append: Append, own: Patience): Promise<AppendResult> {
    let doubtful = false;
    let conflict: WrongExpectedVersionError | undefined;
    for (;;) {
      try {
        const known = doubtful ? await findWritten(append, own) : undefined;
        if (known) return known;
        if (conflict) throw wrongRevision(append, conflict.actualVersion);
        return await send(append, own);
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) {
          // To readers there is no such stream, while the server still has the mark of its deletion.
          if (append.expected === 'no-stream' && (await completeDeletion(append.stream, own))) continue;
          if (!doubtful) throw wrongRevision(append, error.actualVersion);
          conflict = error; // it may be our own success that is in the way
        } else if (error instanceof StreamDeletedError) {
          throw deletedStream(append);
        } else if (isDenied(error)) {
          throw own.giveUp(error);
        } else if (isTransient(error)) {
          doubtful ||= !(error instanceof NotLeaderError);
          await own.afterFailure(error);
        } else {
          const maxBytes = refusedAbove(error);
          throw maxBytes === undefined ? error : new AppendTooLarge(appendBytesOf(append.events), maxBytes);
        }
      }
    }
  }

  /** The place of the last of these events, where they already stand as the expectation would have put them. */
  async function findWritten({ stream, events, expected }: Append, own: Patience): Promise<AppendResult | undefined> {
    try {
      if (expected === 'any' || expected === 'stream-exists') {
        const lastId = events.at(-1)?.id;
        const fromTheEnd = reader.stream(stream, { direction: 'backwards', limit: settleWithin }, own);
        for await (const event of fromTheEnd) if (event.id === lastId) return resultOf(event);
        return undefined;
      }
      const from = expected === 'no-stream' ? 0n : expected + 1n;
      let index = 0;
      for await (const event of reader.stream(stream, { from, limit: events.length }, own)) {
        if (event.id !== events[index]?.id) return undefined;
        index += 1;
        if (index === events.length) return resultOf(event);
      }
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
    }
    return undefined;
  }

  /** EventStoreDB would give an append of nothing a position of its own: here it is answered by where the stream is. */
  async function appendNothing({ stream, expected }: Append, own: Patience): Promise<AppendResult> {
    const { revision, position } = await lastOf(stream, own);
    const exists = revision >= 0n;
    const holds =
      expected === 'any' ||
      (expected === 'stream-exists' ? exists : revision === (expected === 'no-stream' ? -1n : expected));
    if (!holds) throw new WrongExpectedRevision(stream, expected, exists ? revision : 'no-stream');
    return { revision, position };
  }

  async function lastOf(stream: string, own: Patience): Promise<AppendResult> {
    try {
      for await (const event of reader.stream(stream, { direction: 'backwards', limit: 1 }, own))
        return resultOf(event);
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
    }
    return { revision: -1n, position: -1n };
  }

  return (append: Append): Promise<AppendResult> => {
    const own = patience(timing, calls);
    // On the wire a negative revision would stand for something else; nothing but an empty stream can have one.
    const isJudgedHere = append.events.length === 0 || (typeof append.expected === 'bigint' && append.expected < 0n);
    return perStream(append.stream, () => (isJudgedHere ? appendNothing : appendEvents)(append, own));
  };
}

const resultOf = ({ revision, position }: RecordedEvent): AppendResult => ({ revision, position });

const wrongRevision = ({ stream, expected }: Append, actual: bigint | string) =>
  new WrongExpectedRevision(stream, expected, typeof actual === 'bigint' ? actual : 'no-stream');

/** One that is deleted does not exist, but may begin again; one that has a tombstone never can. */
const deletedStream = ({ stream, expected }: Append) =>
  expected === 'stream-exists'
    ? new WrongExpectedRevision(stream, expected, 'no-stream')
    : new StoreUnusable(`stream ${stream} has a tombstone: nothing can be appended to it any more`);

/** The texts that were checked are sent, whatever has become of the caller's objects since. */
const toEventData = ({ id, type, data, metadata }: SerialisedEvent) =>
  jsonEvent({ id, type, data: JSON.parse(data), metadata: JSON.parse(metadata) });

function toExpectation(expected: ExpectedRevision): AppendExpectedRevision {
  if (expected === 'any') return ANY;
  if (expected === 'no-stream') return NO_STREAM;
  return expected === 'stream-exists' ? STREAM_EXISTS : expected;
}
