import { Metadata, status } from '@grpc/grpc-js';
import type { DropCode } from '../misbehaviour.js';
import { type ExpectedRevision, expectedRevisionNumber } from '../store/expected-revision.js';

/** A trailer can hold printable ASCII only. */
const inAscii = (value: string) => value.replace(/[^ -~]/gu, encodeURIComponent);

/** End of a failed call: a status, and trailers by which a client knows the kind of failure. */
export class CallFailure extends Error {
  readonly metadata = new Metadata();

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Record<string, string> = {},
  ) {
    super(details);
    for (const [key, value] of Object.entries(trailers)) this.metadata.set(key, inAscii(value));
  }
}

export const streamDeleted = (stream: string) =>
  new CallFailure(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

/** Failure of delete and tombstone only; an append answers a conflict with its own message. */
export const wrongExpectedVersion = (stream: string, expected: ExpectedRevision, current: bigint | undefined) =>
  new CallFailure(status.FAILED_PRECONDITION, `The expected version of '${stream}' is wrong.`, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': String(expectedRevisionNumber(expected)),
    'actual-version': String(current ?? -1n),
  });

export const maximumAppendSizeExceeded = (maxBytes: number) =>
  new CallFailure(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxBytes} Exceeded`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maxBytes),
  });

export const maximumAppendEventSizeExceeded = (id: string, bytes: number, maxBytes: number) =>
  new CallFailure(
    status.INVALID_ARGUMENT,
    `Event with Id: ${id}, Size: ${bytes}, exceeds Maximum Append Event Size of ${maxBytes}.`,
    { exception: 'maximum-append-event-size-exceeded', 'maximum-append-event-size': String(maxBytes) },
  );

export const missingRequiredMetadata = () =>
  new CallFailure(status.INVALID_ARGUMENT, 'Required metadata are missing.', {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const notLeader = ({ host, port }: { host: string; port: number }) =>
  new CallFailure(status.NOT_FOUND, `The leader is at ${host}:${port}.`, {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });

/** Failure of a node that knows no leader. */
export const notReady = () => new CallFailure(status.UNAVAILABLE, 'Server Is Not Ready');

export const invalidArgument = (what: string) => new CallFailure(status.INVALID_ARGUMENT, what);

export const unexpectedResult = (of: 'ReadStreamResult' | 'ReadAllResult', result = 'Error') =>
  new CallFailure(status.UNKNOWN, `Unexpected ${of}: ${result}`);

export const exceptionThrown = () => new CallFailure(status.UNKNOWN, 'Exception was thrown by handler.');

export const consumerTooSlow = () =>
  new CallFailure(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );

/** Status that a client gives a call that the server, while it stops, ends without one. */
export const callEnded = () =>
  new CallFailure(status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)');

export function dropped(code: DropCode = 'ABORTED'): CallFailure {
  if (code === 'ABORTED') return consumerTooSlow();
  if (code === 'INTERNAL') return callEnded();
  return code === 'UNKNOWN' ? exceptionThrown() : new CallFailure(status[code], 'The subscription was dropped.');
}

export const accessDenied = () =>
  new CallFailure(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' });

export const unauthenticated = () => new CallFailure(status.UNAUTHENTICATED, 'Unauthenticated');

export const asCallFailure = (error: unknown) => (error instanceof CallFailure ? error : exceptionThrown());
