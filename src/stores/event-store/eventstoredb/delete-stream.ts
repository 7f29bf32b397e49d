import { StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { StreamNotFound, WrongExpectedRevision } from '../errors.js';
import type { RecordedEvent } from '../event-store.js';
import type { AppendDependencies } from './append.js';
import { erasureMark, isErasureMark } from './erasure-mark.js';
import { isDenied, isTransient } from './failures.js';
import { type Patience, patience } from './patience.js';
import { within } from './within.js';

/** The client's own deadline comes first; this is for where it waits for something else, such as a node to be found. */
const graceMs = 250;

/**
 * Deletes streams so that a scavenge removes all that they held: decision 31. A stream is deleted at the revision that it is
 * read at; then a mark is appended, which brings the stream back with the mark alone; then that is deleted. Each step is at
 * the revision that the one before left, so that the deletion ends where the stream begins again in between. After a failure
 * the stream is read again, which tells the step to go on with.
 */
export function deleter({ connection, slots, reader, timing, calls }: AppendDependencies) {
  /** Undefined where there is no such stream, or none any more. */
  async function lastOf(stream: string, own: Patience): Promise<RecordedEvent | undefined> {
    try {
      return await reader.last(stream, own);
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
      return undefined;
    }
  }

  async function call<Result>(own: Patience, send: (options: CallOptions) => Promise<Result>): Promise<Result> {
    const release = await slots.take(own.leftMs());
    try {
      const deadline = Math.ceil(Math.min(timing.callMs, own.leftMs()));
      const result = await within(deadline + graceMs, send({ requiresLeader: true, deadline }));
      calls.working();
      return result;
    } finally {
      release();
    }
  }

  const remove = (stream: string, expectedRevision: bigint, own: Patience) =>
    call(own, (options) => connection.deleteStream(stream, { ...options, expectedRevision }));

  /** The mark's revision; undefined where the stream had it before, and is deleted. */
  async function mark(stream: string, deletedAt: bigint, own: Patience): Promise<bigint | undefined> {
    const { nextExpectedRevision, position } = await call(own, (options) =>
      connection.appendToStream(stream, erasureMark(stream, deletedAt), { ...options, expectedRevision: deletedAt }),
    );
    return position && nextExpectedRevision;
  }

  /** Returns where the failure may pass: the caller tries again. Throws where the stream or the rights stand against it. */
  async function beforeNextTry(error: unknown, own: Patience): Promise<void> {
    if (isDenied(error)) throw own.giveUp(error);
    if (!(error instanceof WrongExpectedVersionError) && !isTransient(error)) throw error;
    await own.afterFailure(error);
  }

  /** Marks a stream that was deleted at this revision. Resolves to false where that is not how it is, or not any more. */
  async function finish(stream: string, deletedAt: bigint, own: Patience): Promise<boolean> {
    for (;;) {
      const last = await lastOf(stream, own);
      if (last && !isErasureMark(last)) return false;
      try {
        const markedAt = last?.revision ?? (await mark(stream, deletedAt, own));
        if (markedAt === undefined) return false;
        await remove(stream, markedAt, own);
        return true;
      } catch (error) {
        if (error instanceof WrongExpectedVersionError || error instanceof StreamDeletedError) return false;
        await beforeNextTry(error, own);
      }
    }
  }

  async function deleteStream(stream: string, expectedRevision: bigint | undefined): Promise<void> {
    const own = patience(timing, calls);
    let sentAt: bigint | undefined;
    for (;;) {
      const last = await lastOf(stream, own);
      if (last === undefined || isErasureMark(last)) {
        const deletedAt = last?.revision ?? sentAt;
        if (deletedAt !== undefined) await finish(stream, deletedAt, own);
        return;
      }
      if (expectedRevision !== undefined && expectedRevision !== last.revision) {
        throw new WrongExpectedRevision(stream, expectedRevision, last.revision);
      }
      try {
        sentAt = last.revision;
        await remove(stream, sentAt, own);
        await finish(stream, sentAt, own);
        return;
      } catch (error) {
        if (error instanceof StreamDeletedError) return;
        await beforeNextTry(error, own);
      }
    }
  }

  return {
    deleteStream,
    /** As the port's `finishDeletion`. */
    finish: async (stream: string, revision: bigint) => finish(stream, revision, patience(timing, calls)),
    /** Deletes the mark of a deletion that was cut short behind it; resolves to whether there was one. */
    async complete(stream: string, own: Patience): Promise<boolean> {
      const last = await lastOf(stream, own);
      if (!last || !isErasureMark(last)) return false;
      await finish(stream, last.revision, own);
      return true;
    },
  };
}

type CallOptions = { readonly requiresLeader: true; readonly deadline: number };
