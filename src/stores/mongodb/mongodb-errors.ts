import { setTimeout as pause } from 'node:timers/promises';
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoDriverError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
} from 'mongodb';
import { StoreUnavailable } from '../../kernel/store-errors.js';

/**
 * Caused by the command itself: BadValue, FailedToParse, TypeMismatch, DollarPrefixedFieldName, CommandNotFound,
 * CannotCreateIndex, IndexOptionsConflict, IndexKeySpecsConflict.
 */
const permanentErrorCodes: ReadonlySet<unknown> = new Set([2, 9, 14, 52, 59, 67, 85, 86]);
export const duplicateKey = 11000;

/** Errors of the driver that concern its connections, not its use. */
const connectionErrors = [
  MongoClientClosedError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
];
/** Not exported by the driver: the pool is closed, or all its connections are busy. */
const poolErrors: ReadonlySet<string> = new Set(['MongoPoolClosedError', 'MongoWaitQueueTimeoutError']);

/**
 * Converts transient errors (network, no primary, no majority acknowledgement, timeouts) to `StoreUnavailable`; returns
 * others unchanged.
 */
export function asMongoError(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  const loggable = error instanceof MongoBulkWriteError ? withoutDocuments(error) : error;
  if (!isTransient(loggable)) return loggable;
  return new StoreUnavailable(`MongoDB: ${reasonOf(loggable)}`, { cause: loggable, retryAfterMs: 1_000 });
}

/**
 * The error of a bulk write contains the documents, with hook URLs and flow events, which must not be logged. Without a
 * code, no server has answered.
 */
const withoutDocuments = ({ message, code, codeName }: MongoBulkWriteError): MongoError =>
  code === undefined ? new MongoNetworkError(message) : new MongoServerError({ message, code, codeName });

function isTransient(error: MongoError): boolean {
  if (error instanceof MongoServerError) return error.code !== duplicateKey && !permanentErrorCodes.has(error.code);
  if (!(error instanceof MongoDriverError)) return true; // network and server selection
  return poolErrors.has(error.name) || connectionErrors.some((known) => error instanceof known);
}

/** Addresses and other details are in the cause only. */
function reasonOf(error: MongoError): string {
  if (error instanceof MongoServerError) return `the server refuses (${error.codeName ?? error.code ?? 'no code'})`;
  if (error instanceof MongoOperationTimeoutError || error.name === 'MongoNetworkTimeoutError')
    return 'it does not answer';
  return error.name === 'MongoWaitQueueTimeoutError' ? 'it is busy' : 'it cannot be reached';
}

/** Rejects with the error of `work`, converted by `asMongoError`. */
export async function withMongoErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asMongoError(error);
  }
}

/** An unplanned election takes up to 12 seconds, according to MongoDB's manual. */
const electionMs = 15_000;
const pauseMs = 250;

/**
 * Retries idempotent work until a primary is elected, for requests that nothing else retries. Rejects with its last
 * error after 15 seconds, or if `isNeeded` returns false.
 */
export async function throughElection<Result>(work: () => Promise<Result>, isNeeded: () => boolean): Promise<Result> {
  const began = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isTransient = asMongoError(error) instanceof StoreUnavailable;
      if (!isTransient || performance.now() - began >= electionMs || !isNeeded()) throw error;
      await pause(pauseMs);
    }
  }
}
