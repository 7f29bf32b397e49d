import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asMongoError } from './mongodb-errors.js';

/** An unplanned election takes up to 12 seconds, according to MongoDB's manual. */
const electionMs = 15_000;
const pauseMs = 250;

/**
 * Retries idempotent work until a primary is elected, for requests that nothing else retries. Rejects with its last
 * error after 15 seconds, or if `isWanted` returns false.
 */
export async function throughElection<Result>(work: () => Promise<Result>, isWanted: () => boolean): Promise<Result> {
  const began = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isTransient = asMongoError(error) instanceof StoreUnavailable;
      if (!isTransient || performance.now() - began >= electionMs || !isWanted()) throw error;
      await pause(pauseMs);
    }
  }
}
