import { MongoError } from 'mongodb';
import { StoreUnavailable } from '../../event-store/errors.js';

/** Runs `work`, and rejects with what it rejects with as a port's error. */
export async function withMongoErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MongoError ? new StoreUnavailable(error.message, { cause: error }) : error;
  }
}
