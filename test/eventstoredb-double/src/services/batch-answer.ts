import codes from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import anyMessages from 'google-protobuf/google/protobuf/any_pb.js';
import emptyMessages from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Written } from '../store/event-store.js';
import type { ExpectedRevision } from '../store/expected-revision.js';
import { writeStreamName } from './wire.js';

const empty = () => new emptyMessages.Empty();

/** A google.rpc.Status that carries, as its detail, the message by which a client knows the kind of error. */
function failure(code: codes.Code, type: string, detail: { serializeBinary(): Uint8Array }): statuses.Status {
  const any = new anyMessages.Any();
  any.pack(detail.serializeBinary(), `event_store.client.${type}`);
  return new statuses.Status().setCode(code).setMessage(type).setDetails(any);
}

export function wrongExpectedVersion(expected: ExpectedRevision, current: bigint | undefined): statuses.Status {
  const detail = new shared.WrongExpectedVersion();
  if (current === undefined) detail.setCurrentNoStream(empty());
  else detail.setCurrentStreamRevision(String(current));
  if (expected === 'any') detail.setExpectedAny(empty());
  else if (expected === 'stream-exists') detail.setExpectedStreamExists(empty());
  else if (expected === 'no-stream') detail.setExpectedNoStream(empty());
  else detail.setExpectedStreamPosition(String(expected));
  return failure(codes.Code.ALREADY_EXISTS, 'WrongExpectedVersion', detail);
}

export const streamDeleted = (stream: string) =>
  failure(
    codes.Code.NOT_FOUND,
    'StreamDeleted',
    new shared.StreamDeleted().setStreamIdentifier(writeStreamName(stream)),
  );

export const maximumAppendSizeExceeded = (maxBytes: number) =>
  failure(
    codes.Code.INVALID_ARGUMENT,
    'MaximumAppendSizeExceeded',
    new shared.MaximumAppendSizeExceeded().setMaxappendsize(maxBytes),
  );

export const accessDenied = () => failure(codes.Code.PERMISSION_DENIED, 'AccessDenied', new shared.AccessDenied());

export const timeout = () => failure(codes.Code.DEADLINE_EXCEEDED, 'Timeout', new shared.Timeout());

export const badRequest = (message: string) =>
  failure(codes.Code.INVALID_ARGUMENT, 'BadRequest', new shared.BadRequest().setMessage(message));

export function success({ revision, position }: Written): streams.BatchAppendResp.Success {
  const result = new streams.BatchAppendResp.Success();
  if (revision === undefined) result.setNoStream(empty());
  else result.setCurrentRevision(String(revision));
  if (position === undefined) return result.setNoPosition(empty());
  const at = new shared.AllStreamPosition();
  return result.setPosition(at.setCommitPosition(String(position)).setPreparePosition(String(position)));
}
