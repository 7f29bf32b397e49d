import pb from '@eventstore/db-client/generated/streams_pb.js';
import type { handleClientStreamingCall, Metadata } from '@grpc/grpc-js';
import { requireAccess } from '../access-control.js';
import { type Node, noteCall } from '../node.js';
import type { Refused, Written } from '../store/event-store.js';
import type { ExpectedRevision } from '../store/expected-revision.js';
import type { ProposedEvent } from '../store/recorded-event.js';
import {
  asCallFailure,
  maximumAppendEventSizeExceeded,
  maximumAppendSizeExceeded,
  missingRequiredMetadata,
  streamDeleted,
} from './call-failure.js';
import { readProposedEvent } from './proposed-message.js';
import { requireLeader } from './require-leader.js';
import { empty, readExpectedRevision, readStreamName } from './wire.js';

/** The unary append: a conflict is an answer, every other refusal a status. */
export const append =
  (node: Node): handleClientStreamingCall<pb.AppendReq, pb.AppendResp> =>
  (call, callback) => {
    const requests: pb.AppendReq[] = [];
    const answer = async () => {
      const { conduct, connections } = node;
      await conduct.hearing();
      if (call.cancelled) return;
      noteCall(node, 'append');
      requireLeader(node);
      const response = carryOut(node, call.metadata, requests);
      const loss = response.hasSuccess() ? conduct.loseAnswer() : undefined;
      if (loss === 'disconnect') void connections.cut(call.getPeer());
      if (loss) return;
      await conduct.answering();
      callback(null, response);
    };
    call.on('data', (request) => requests.push(request));
    call.on('end', () => void answer().catch((error) => callback(asCallFailure(error))));
  };

function carryOut(node: Node, credentials: Metadata, requests: readonly pb.AppendReq[]): pb.AppendResp {
  const options = requests[0]?.getOptions();
  const stream = readStreamName(options?.getStreamIdentifier());
  requireAccess(node, credentials, 'write', stream);
  const expected = readExpectedRevision(
    options ?? new pb.AppendReq.Options(),
    options?.hasRevision() ? options.getRevision() : undefined,
  );
  const events = requests.flatMap((request) => {
    const message = request.getProposedMessage();
    if (!message) return [];
    const event = readProposedEvent(message);
    if (!event) throw missingRequiredMetadata();
    return [event];
  });
  checkSize(node, events);
  return toResponse(stream, expected, node.store.append(stream, expected, events));
}

function checkSize({ version, maxAppendBytes, maxAppendEventBytes }: Node, events: readonly ProposedEvent[]): void {
  if (maxAppendEventBytes !== undefined) {
    for (const event of events) {
      const bytes = version.sizeOf([event]);
      if (bytes > maxAppendEventBytes) throw maximumAppendEventSizeExceeded(event.id, bytes, maxAppendEventBytes);
    }
  }
  if (version.sizeOf(events) > maxAppendBytes) throw maximumAppendSizeExceeded(maxAppendBytes);
}

function toResponse(stream: string, expected: ExpectedRevision, result: Written | Refused): pb.AppendResp {
  if (result.outcome === 'stream-deleted') throw streamDeleted(stream);
  const response = new pb.AppendResp();
  if (result.outcome === 'wrong-expected-version')
    return response.setWrongExpectedVersion(toConflict(expected, result.current));
  const { position, revision } = result;
  const success = new pb.AppendResp.Success();
  if (revision === undefined) success.setNoStream(empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(empty());
  else {
    const at = new pb.AppendResp.Position();
    success.setPosition(at.setCommitPosition(String(position)).setPreparePosition(String(position)));
  }
  return response.setSuccess(success);
}

/** Conflict with the fields of version 20.6 beside the newer ones, as older clients read only those. */
function toConflict(expected: ExpectedRevision, current: bigint | undefined): pb.AppendResp.WrongExpectedVersion {
  const conflict = new pb.AppendResp.WrongExpectedVersion();
  if (current === undefined) conflict.setCurrentNoStream(empty()).setNoStream2060(empty());
  else conflict.setCurrentRevision(String(current)).setCurrentRevision2060(Number(current));
  if (expected === 'any') return conflict.setExpectedAny(empty()).setAny2060(empty());
  if (expected === 'stream-exists') return conflict.setExpectedStreamExists(empty()).setStreamExists2060(empty());
  if (expected === 'no-stream') return conflict.setExpectedNoStream(empty());
  return conflict.setExpectedRevision(String(expected)).setExpectedRevision2060(Number(expected));
}
