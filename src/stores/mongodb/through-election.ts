import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { asMongoError } from './mongodb-errors.js';

/** Longer than an unplanned election of a primary, which takes up to 12 seconds according to MongoDB's manual. */
const electionMs = 15_000;
/** Interval between two attempts. */
const pauseMs = 250;

/**
 * Retries work that finds no primary until one is elected: for requests that nothing else retries. The work must be
 * idempotent. Rejects with its last error after 15 seconds, or if `isWanted` returns false.
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
