import { setMaxListeners } from 'node:events';
import type { EventStore } from '../event-store.js';
import { serialise } from '../serialise.js';
import { appendWith } from './append.js';
import { appendEachWith } from './append-each.js';
import { semaphore } from './bounded-calls.js';
import { Connection } from './connection/connection.js';
import { parseConnectionString } from './connection/connection-string.js';
import { deleteStreamWith } from './delete-stream.js';
import { reader } from './reading/read.js';
import { sharedByPlace } from './reading/read-all.js';
import { chunkReader, storeClosed } from './reading/read-chunks.js';
import { subscription } from './reading/subscription.js';
import type { Timing } from './retry-budget.js';
import { type ConnectionStatus, type StatusLog, statusBoard } from './status.js';

export type EventStoreDbOptions = {
  url: string;
  log?: StatusLog;
  timing?: Partial<Timing>;
};

export type EventStoreDb = EventStore & { status: () => ConnectionStatus };

const defaultTiming: Timing = {
  callMs: 2_000,
  totalMs: 5_000,
  failingMs: 500,
  electionMs: 10_000,
  quietMs: 250,
};

/** A connection carries 100; calls beyond wait without a deadline. */
const callsPerConnection = 90;

/**
 * Appends, reads and subscriptions have a connection each, so that none delays the others. Positions are commit
 * positions. Throws `InvalidConnectionString`.
 */
export function openEventStoreDb({ url, log, timing: given }: EventStoreDbOptions): EventStoreDb {
  const settings = parseConnectionString(url);
  const timing = { ...defaultTiming, ...given };
  const common = {
    callMs: timing.callMs,
    onGivenUp: (node: string) => log?.warn(`EventStoreDB at ${node} answers nothing: the connection is given up`),
  };
  // Only subscriptions can use another node than the leader.
  const connections = {
    appends: new Connection(settings, { ...common, nodePreference: 'leader' }),
    reads: new Connection(settings, { ...common, nodePreference: 'leader' }),
    subscriptions: new Connection(settings, common),
  };
  const board = statusBoard(log);
  const calls = board.part('calls');
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // some listeners for each subscription
  const isOpen = () => !closing.signal.aborted;

  const chunks = chunkReader({ semaphore: semaphore(callsPerConnection), timing, isOpen, calls });
  const read = reader(connections.reads, chunks);
  // On the connection of the subscriptions, so that they notice together that its node is frozen, unless it is no leader.
  const ahead = connections.subscriptions.leads ? reader(connections.subscriptions, chunks) : read;
  const readTogether = { ...ahead, onwards: sharedByPlace(ahead.onwards) };
  const limit = semaphore(callsPerConnection);
  const writing = { connection: connections.appends, semaphore: limit, reader: read, timing, calls };
  const deletion = deleteStreamWith(writing);
  const append = appendWith(writing, deletion.complete);
  const appendEach = appendEachWith(append);
  const pending = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  async function awaited<Result>(work: Promise<Result>): Promise<Result> {
    pending.add(work);
    try {
      return await work;
    } finally {
      pending.delete(work);
    }
  }

  async function close(): Promise<void> {
    await Promise.allSettled(pending);
    closing.abort();
    await Promise.all(Object.values(connections).map((connection) => connection.close()));
  }

  return {
    async append(stream, events, { expectedRevision = 'any' } = {}) {
      if (closed) throw storeClosed();
      return awaited(append({ stream, events: serialise(stream, events), expected: expectedRevision }));
    },
    async appendEach(events) {
      if (closed) throw storeClosed();
      return awaited(appendEach(events));
    },
    async deleteStream(stream, { expectedRevision } = {}) {
      if (closed) throw storeClosed();
      await awaited(deletion.deleteStream(stream, expectedRevision));
    },
    async finishDeletion(stream, revision) {
      if (closed) throw storeClosed();
      return awaited(deletion.finish(stream, revision));
    },
    readStream: (stream, range = {}) => read.stream(stream, range),
    readAll: (range = {}) => read.all(range),
    async *streamNames(categories) {
      for await (const { stream } of read.all({ filter: { categories } })) yield stream;
    },
    async *unexplainedEvents() {},
    subscribe: (options = {}) =>
      subscription(
        { connection: connections.subscriptions, reader: readTogether, timing, board, closing: closing.signal },
        options,
      ),
    async head() {
      return read.head();
    },
    status: board.status,
    close() {
      closed ??= close();
      return closed;
    },
  };
}
