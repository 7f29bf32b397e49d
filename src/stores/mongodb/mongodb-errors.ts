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
 * What a server refuses because of the command itself: an error of ours, not of the moment. BadValue, FailedToParse,
 * TypeMismatch, DollarPrefixedFieldName, CommandNotFound, CannotCreateIndex, IndexOptionsConflict, IndexKeySpecsConflict.
 */
const refusals: ReadonlySet<unknown> = new Set([2, 9, 14, 52, 59, 67, 85, 86]);
export const duplicateKey = 11000;

/** Errors of the driver itself that are about its connections, and not about how it was called. */
const connectionErrors = [
  MongoClientClosedError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoStalePrimaryError,
  MongoTopologyClosedError,
];
/** Two more that it does not export: the pool is closed, or all of its connections are busy. */
const poolErrors: ReadonlySet<string> = new Set(['MongoPoolClosedError', 'MongoWaitQueueTimeoutError']);

/**
 * What the driver throws, as `StoreUnavailable` where it may pass: the network, a server that is not the primary (any more),
 * a majority that did not acknowledge in time, timeouts. A command that was refused for what it says stays what it is.
 */
export function asMongoError(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  const told = error instanceof MongoBulkWriteError ? withoutDocuments(error) : error;
  if (!mayPass(told)) return told;
  return new StoreUnavailable(`MongoDB: ${reasonOf(told)}`, { cause: told, retryAfterMs: 1_000 });
}

/**
 * A bulk write that failed holds what it should have written, and would be logged with it: hook URLs, flow events. Where no
 * server has answered it has no code.
 */
const withoutDocuments = ({ message, code, codeName }: MongoBulkWriteError): MongoError =>
  code === undefined
    ? new MongoNetworkError(message)
    : new MongoServerError({ message, code, ...(codeName !== undefined && { codeName }) });

function mayPass(error: MongoError): boolean {
  if (error instanceof MongoServerError) return error.code !== duplicateKey && !refusals.has(error.code);
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

/** Runs `work`, and rejects with what it rejects with as a port's error. */
export async function withMongoErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asMongoError(error);
  }
}
