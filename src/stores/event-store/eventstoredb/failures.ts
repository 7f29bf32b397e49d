import { AccessDeniedError, MaxAppendSizeExceededError, NotLeaderError } from '@eventstore/db-client';
import { StoreUnavailable } from '../../../kernel/store-errors.js';

/** No answer within the call's time limit, whatever the client reports. */
export class NoAnswer extends Error {}

/** CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL and UNAVAILABLE of gRPC. */
const transientCodes: ReadonlySet<unknown> = new Set([1, 2, 4, 8, 10, 13, 14]);
const permissionDenied = 7;
const unauthenticated = 16;

/** What the service's user must be allowed to do. */
export type Right = 'read $all' | 'read streams' | 'append to streams' | 'delete streams';

/** The server refuses access. An operator has to correct it: until then the store cannot be used. */
export class AccessRefused extends Error {}

/** The refusal, if this error is one of a call that needs this right. */
export function accessRefused(error: unknown, right: Right): AccessRefused | undefined {
  const code = codeOf(error);
  // Of both codes the client makes an `AccessDeniedError`.
  if (code === unauthenticated) return new AccessRefused('the event store does not accept our user or password');
  if (code !== permissionDenied && !(error instanceof AccessDeniedError)) return undefined;
  return new AccessRefused(
    `the event store gives our user no right to ${right}: see "Rights in EventStoreDB" in docs/installing.md`,
  );
}

/** How a read of all events fails where no event was ever written at the position; it has no code of its own. */
export const isNoSuchPosition = (error: unknown): boolean =>
  codeOf(error) === 2 && error instanceof Error && error.message.includes('Unexpected ReadAllResult');

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | undefined)?.code;

/** Whether the same call may succeed later. The client's errors without a code mean that it finds no node. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NoAnswer || error instanceof NotLeaderError) return true;
  if (isNoSuchPosition(error)) return false;
  const code = codeOf(error);
  if (typeof code === 'number') return transientCodes.has(code);
  return error instanceof Error && error.constructor === Error;
}

/**
 * The server's size limit for an append, or for one event of it, from the error that refused it: it may be lower than
 * `maxAppendBytes`. Undefined for any other failure.
 */
export function refusedAbove(error: unknown): number | undefined {
  if (error instanceof MaxAppendSizeExceededError) return error.maxAppendSize;
  if (codeOf(error) !== 3 || !(error instanceof Error)) return undefined;
  // The client has no error type for the size of one event, which 24.10 can limit too.
  const bytes = /maximum append (?:event )?size of (\d+)/i.exec(error.message)?.[1];
  return bytes === undefined ? undefined : Number(bytes);
}

/** The error for callers once retries are used up. Addresses and other details are in the cause only. */
export function asUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof AccessRefused) return new StoreUnavailable(error.message, { retryAfterMs: 1_000 });
  return new StoreUnavailable(`the event store ${reasonOf(error)}`, { cause: error, retryAfterMs: 1_000 });
}

function reasonOf(error: unknown): string {
  if (error instanceof NotLeaderError) return 'has no leader that we can reach';
  if (error === undefined) return 'is busy';
  return error instanceof NoAnswer || codeOf(error) === 4 ? 'does not answer' : 'cannot be reached';
}

/** For operators: in the log and the status, not in answers. */
export const describeFailure = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: unknown };
  return cause === undefined ? (message ?? String(error)) : describeFailure(cause);
};
