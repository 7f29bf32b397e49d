import { StreamDeletedError, WrongExpectedVersionError } from '@eventstore/db-client';
import { StreamNotFound, WrongExpectedRevision } from '../errors.js';
import type { AppendDependencies } from './append.js';
import { isDenied, isTransient } from './failures.js';
import { type Patience, patience } from './patience.js';
import { within } from './within.js';

/** The client's own deadline comes first; this is for where it waits for something else, such as a node to be found. */
const graceMs = 250;

/**
 * Deletes a stream at the revision that it is read at, so that a failure which leaves open whether it was deleted is settled
 * by reading again.
 */
export function deleter({ connection, slots, reader, timing, calls }: AppendDependencies) {
  /** Undefined where there is no such stream, or none any more. */
  async function lastRevision(stream: string, own: Patience): Promise<bigint | undefined> {
    try {
      for await (const { revision } of reader.stream(stream, { direction: 'backwards', limit: 1 }, own))
        return revision;
    } catch (error) {
      if (!(error instanceof StreamNotFound)) throw error;
    }
    return undefined;
  }

  async function send(stream: string, expectedRevision: bigint, own: Patience): Promise<void> {
    const release = await slots.take(own.leftMs());
    try {
      const deadline = Math.ceil(Math.min(timing.callMs, own.leftMs()));
      const options = { expectedRevision, requiresLeader: true, deadline };
      await within(deadline + graceMs, connection.deleteStream(stream, options));
      calls.working();
    } finally {
      release();
    }
  }

  return async (stream: string, expectedRevision: bigint | undefined): Promise<void> => {
    const own = patience(timing, calls);
    for (;;) {
      const last = await lastRevision(stream, own);
      if (last === undefined) return;
      if (expectedRevision !== undefined && expectedRevision !== last) {
        throw new WrongExpectedRevision(stream, expectedRevision, last);
      }
      try {
        await send(stream, last, own);
        return;
      } catch (error) {
        if (error instanceof StreamDeletedError) return;
        if (isDenied(error)) throw own.giveUp(error);
        if (!(error instanceof WrongExpectedVersionError) && !isTransient(error)) throw error;
        await own.afterFailure(error);
      }
    }
  };
}
