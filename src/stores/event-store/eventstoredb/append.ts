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
import { AppendTooLarge, WrongExpectedRevision } from '../errors.js';
import type { AppendResult, ExpectedRevision, RecordedEvent } from '../event-store.js';
import { readFirstIfExists, readIfExists } from '../read-if-exists.js';
import { appendBytesOf, type SerialisedEvent } from '../serialise.js';
import { type Semaphore, withTimeout } from './bounded-calls.js';
import type { Connection } from './connection/connection.js';
import { accessRefused, isTransient, refusedAbove } from './failures.js';
import type { Reader } from './reading/read.js';
import { type RetryBudget, retryBudget, type Timing } from './retry-budget.js';
import type { StatusPart } from './status.js';

export type Append = {
  stream: string;
  events: readonly SerialisedEvent[];
  expected: ExpectedRevision;
};

export type AppendDependencies = {
  connection: Connection;
  semaphore: Semaphore;
  reader: Reader;
  timing: Timing;
  calls: StatusPart;
};

/** Resolves to true if there was an interrupted deletion. */
export type CompleteDeletion = (stream: string, budget: RetryBudget) => Promise<boolean>;

/** Added to the client's deadline, which does not fire while the client searches for a node. */
const graceMs = 250;

/** A unary call to the leader, within the rest of the budget. */
export async function callLeader<Result>(
  { semaphore, timing, calls }: AppendDependencies,
  budget: RetryBudget,
  send: (options: { requiresLeader: true; deadline: number }) => Promise<Result>,
): Promise<Result> {
  const release = await semaphore.acquire(budget.leftMs());
  try {
    const deadline = Math.ceil(Math.min(timing.callMs, budget.leftMs()));
    const result = await withTimeout(deadline + graceMs, send({ requiresLeader: true, deadline }));
    calls.working();
    return result;
  } finally {
    release();
  }
}

/**
 * Appends to one stream run in order, to different streams concurrently. After a failure with unknown outcome, the
 * events are read back, and missing ones are sent again with the same IDs.
 */
export function appendWith(dependencies: AppendDependencies, completeDeletion: CompleteDeletion) {
  const { reader, timing, calls } = dependencies;
  const perStream = keyedMutex();

  async function send({ stream, events, expected }: Append, budget: RetryBudget): Promise<AppendResult> {
    const { nextExpectedRevision, position } = await callLeader(dependencies, budget, (options) =>
      dependencies.connection.appendToStream(stream, events.map(toEventData), {
        ...options,
        expectedRevision: toExpectation(expected),
      }),
    );
    // Without a position the events were written before and are hidden: the stream has been deleted since.
    return { revision: nextExpectedRevision, position: position?.commit ?? -1n };
  }

  async function appendEvents(append: Append, budget: RetryBudget): Promise<AppendResult> {
    let doubtful = false;
    let conflict: WrongExpectedVersionError | undefined;
    for (;;) {
      try {
        const known = doubtful ? await findWritten(reader, append, budget) : undefined;
        if (known) return known;
        if (conflict) throw wrongRevision(append, conflict.actualVersion);
        return await send(append, budget);
      } catch (error) {
        const refused = accessRefused(error, 'append to streams');
        if (refused) throw budget.giveUp(refused);
        if (error instanceof WrongExpectedVersionError) {
          // For readers the stream does not exist, but the server still has its erasure mark.
          if (append.expected === 'no-stream' && (await completeDeletion(append.stream, budget))) continue;
          if (!doubtful) throw wrongRevision(append, error.actualVersion);
          conflict = error; // it may be our own successful append
        } else if (error instanceof StreamDeletedError) {
          throw deletedStream(append);
        } else if (isTransient(error)) {
          doubtful ||= !(error instanceof NotLeaderError);
          await budget.afterFailure(error);
        } else {
          const maxBytes = refusedAbove(error);
          throw maxBytes === undefined ? error : new AppendTooLarge(appendBytesOf(append.events), maxBytes);
        }
      }
    }
  }

  /** EventStoreDB would invent a position for an append of no events. */
  async function appendNothing({ stream, expected }: Append, budget: RetryBudget): Promise<AppendResult> {
    const last = await readFirstIfExists(reader.stream(stream, { direction: 'backwards', limit: 1 }, budget));
    const { revision, position } = last ?? { revision: -1n, position: -1n };
    const exists = revision >= 0n;
    const holds =
      expected === 'any' ||
      (expected === 'stream-exists' ? exists : revision === (expected === 'no-stream' ? -1n : expected));
    if (!holds) throw new WrongExpectedRevision(stream, expected, exists ? revision : 'no-stream');
    return { revision, position };
  }

  return (append: Append): Promise<AppendResult> => {
    const budget = retryBudget(timing, calls);
    // On the wire a negative revision has another meaning.
    const isJudgedHere = append.events.length === 0 || (typeof append.expected === 'bigint' && append.expected < 0n);
    return perStream(append.stream, () => (isJudgedHere ? appendNothing : appendEvents)(append, budget));
  };
}

const wrongRevision = ({ stream, expected }: Append, actual: bigint | string) =>
  new WrongExpectedRevision(stream, expected, typeof actual === 'bigint' ? actual : 'no-stream');

/** A deleted stream may be created again; one with a tombstone cannot. */
const deletedStream = ({ stream, expected }: Append) =>
  expected === 'stream-exists'
    ? new WrongExpectedRevision(stream, expected, 'no-stream')
    : new StoreUnusable(`stream ${stream} has a tombstone: nothing can be appended to it any more`);

/** The JSON texts that were checked, even if the caller has changed its objects since. */
const toEventData = ({ id, type, data, metadata }: SerialisedEvent) =>
  jsonEvent({ id, type, data: JSON.parse(data), metadata: JSON.parse(metadata) });

function toExpectation(expected: ExpectedRevision): AppendExpectedRevision {
  if (expected === 'any') return ANY;
  if (expected === 'no-stream') return NO_STREAM;
  return expected === 'stream-exists' ? STREAM_EXISTS : expected;
}

/** Number of events searched, from the end of the stream, for an append whose answer was lost. */
const settleWithin = 1_000;
/** The result of an append whose events are already where the expectation would put them. */
async function findWritten(
  reader: Pick<Reader, 'stream'>,
  { stream, events, expected }: Append,
  budget: RetryBudget,
): Promise<AppendResult | undefined> {
  if (expected === 'any' || expected === 'stream-exists') {
    const lastId = events.at(-1)?.id;
    const fromTheEnd = reader.stream(stream, { direction: 'backwards', limit: settleWithin }, budget);
    for await (const event of readIfExists(fromTheEnd)) if (event.id === lastId) return resultOf(event);
    return undefined;
  }
  const from = expected === 'no-stream' ? 0n : expected + 1n;
  let index = 0;
  for await (const event of readIfExists(reader.stream(stream, { from, limit: events.length }, budget))) {
    if (event.id !== events[index]?.id) return undefined;
    index += 1;
    if (index === events.length) return resultOf(event);
  }
  return undefined;
}

const resultOf = ({ revision, position }: RecordedEvent): AppendResult => ({ revision, position });
