import {
  BACKWARDS,
  END,
  FORWARDS,
  type ReadRevision,
  type ResolvedEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { StreamNotFound } from '../../errors.js';
import type { RecordedEvent, StreamRange } from '../../event-store.js';
import type { Connection } from '../connection/connection.js';
import type { RetryBudget } from '../retry-budget.js';
import { type AllReader, allReader } from './read-all.js';
import { asCall, buffer, type ChunkReader, common, everything } from './read-chunks.js';
import { isErasureMark, toRecordedEvent } from './recorded-event.js';

export type Reader = AllReader & {
  stream: (name: string, range: StreamRange, budget?: RetryBudget) => AsyncGenerator<RecordedEvent>;
  /**
   * The last event that the server shows, possibly an erasure mark; undefined where metadata hide all. Throws
   * `StreamNotFound`.
   */
  last: (name: string, budget: RetryBudget | undefined) => Promise<RecordedEvent | undefined>;
};

export function reader(connection: Connection, chunks: ChunkReader): Reader {
  async function* stream(name: string, range: StreamRange, budget?: RetryBudget): AsyncGenerator<RecordedEvent> {
    const { from, direction = 'forwards', limit = everything } = range;
    const forwards = direction === 'forwards';
    if (limit <= 0 || (!forwards && from !== undefined && from < 0n)) {
      const end = await last(name, budget);
      if (end && isErasureMark(end)) throw new StreamNotFound(name);
      return;
    }
    let next: ReadRevision = from ?? (forwards ? START : END);
    let left = Math.min(limit, everything);
    let found: 'nothing' | 'mark' | 'events' = 'nothing';
    const open = () =>
      asCall(
        connection.readStream(
          name,
          {
            ...common,
            direction: forwards ? FORWARDS : BACKWARDS,
            fromRevision: typeof next === 'bigint' && next < 0n ? START : next,
            // A stream can begin with an erasure mark, which counts towards the limit.
            maxCount: forwards ? Math.min(left + 1, everything) : left,
          },
          buffer,
        ),
        'read streams',
      );
    try {
      for await (const chunk of chunks<ResolvedEvent>(open, budget)) {
        for (const { event } of chunk) {
          if (!event) continue; // only links whose target is gone have none, and links are not followed
          if (isErasureMark(event)) {
            if (found === 'nothing') found = 'mark';
            continue;
          }
          found = 'events';
          yield toRecordedEvent(event);
          next = event.revision + (forwards ? 1n : -1n);
          left -= 1;
          if (left === 0 || next < 0n) return;
        }
      }
    } catch (error) {
      throw isGone(error) ? new StreamNotFound(name) : error;
    }
    // An interrupted deletion left only the mark. A backward read from the middle may not have seen everything.
    if (found === 'mark' && (forwards || from === undefined)) throw new StreamNotFound(name);
  }

  async function last(name: string, budget: RetryBudget | undefined): Promise<RecordedEvent | undefined> {
    const open = () =>
      asCall(
        connection.readStream(name, { ...common, direction: BACKWARDS, fromRevision: END, maxCount: 1 }, buffer),
        'read streams',
      );
    try {
      for await (const [end] of chunks<ResolvedEvent>(open, budget)) return end?.event && toRecordedEvent(end.event);
    } catch (error) {
      throw isGone(error) ? new StreamNotFound(name) : error;
    }
    return undefined;
  }

  return { stream, last, ...allReader(connection, chunks) };
}

const isGone = (error: unknown): boolean => error instanceof StreamNotFoundError || error instanceof StreamDeletedError;
