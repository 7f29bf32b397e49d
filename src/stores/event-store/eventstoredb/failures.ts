import { AccessDeniedError, MaxAppendSizeExceededError, NotLeaderError } from '@eventstore/db-client';
import { StoreUnavailable } from '../../../kernel/store-errors.js';

export class NoAnswer extends Error {}

/** gRPC's CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE. */
const transientCodes: ReadonlySet<unknown> = new Set([1, 2, 4, 8, 10, 13, 14]);
const permissionDenied = 7;
const unauthenticated = 16;

/** Rights of the service's user. */
export type Right = 'read $all' | 'read streams' | 'append to streams' | 'delete streams';

/** An operator has to correct it. */
export class AccessRefused extends Error {}

export function accessRefused(error: unknown, right: Right): AccessRefused | undefined {
  const code = codeOf(error);
  // The client makes an `AccessDeniedError` of both codes.
  if (code === unauthenticated) return new AccessRefused('the event store does not accept our user or password');
  if (code !== permissionDenied && !(error instanceof AccessDeniedError)) return undefined;
  return new AccessRefused(
    `the event store gives our user no right to ${right}: see "Rights in EventStoreDB" in docs/installing.md`,
  );
}

/** No event was ever written at the position; the failed read has no code. */
export const isNoSuchPosition = (error: unknown): boolean =>
  codeOf(error) === 2 && error instanceof Error && error.message.includes('Unexpected ReadAllResult');

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/** Errors of the client without a code mean that it finds no node. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswer || error instanceof NotLeaderError) return true;
  if (isNoSuchPosition(error)) return false;
  const code = codeOf(error);
  if (typeof code === 'number') return transientCodes.has(code);
  return error instanceof Error && error.constructor === Error;
}

/**
 * The server's size limit for an append, or one event of it, which may be lower than `maxAppendBytes`; undefined for
 * other failures.
 */
export function refusedAbove(error: unknown): number | undefined {
  if (error instanceof MaxAppendSizeExceededError) return error.maxAppendSize;
  if (codeOf(error) !== 3 || !(error instanceof Error)) return undefined;
  // The client has no error type for the size of one event, which 24.10 can limit.
  const bytes = /maximum append (?:event )?size of (\d+)/i.exec(error.message)?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

/** The error after all retries. Addresses and other details are in the cause only. */
export function asUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof AccessRefused) return new StoreUnavailable(error.message, { retryAfterMs: 1_000 });
  return new StoreUnavailable(`the event store ${reasonOf(error)}`, { cause: error, retryAfterMs: 1_000 });
}

function reasonOf(error: unknown): string {
  if (error instanceof NotLeaderError) return 'has no leader that we can reach';
  if (error === undefined) return 'is busy';
  return error instanceof NoAnswer || codeOf(error) === 4 ? 'does not answer' : 'cannot be reached';
}

/** Text for the log and the status, not for answers. */
export const describeFailure = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: unknown };
  return cause === undefined ? (message ?? String(error)) : describeFailure(cause);
};
