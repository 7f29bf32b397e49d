import pb from '@eventstore/db-client/generated/streams_pb.js';
import type { handleBidiStreamingCall, Metadata } from '@grpc/grpc-js';
import { accessFailure } from '../access-control.js';
import { inOrder } from '../conduct.js';
import type { Node } from '../node.js';
import type { Refused } from '../store/event-store.js';
import type { ExpectedRevision } from '../store/expected-revision.js';
import type { ProposedEvent } from '../store/recorded-event.js';
import * as answer from './batch-answer.js';
import { readProposedEvent } from './proposed-message.js';
import { leaderFailure } from './require-leader.js';
import { readExpectedRevision, readStreamName, readUuid, writeStreamName, writeUuid } from './wire.js';

/** An append whose requests are not all there yet. */
interface OpenAppend {
  options: pb.BatchAppendReq.Options;
  events: (ProposedEvent | undefined)[];
}

/**
 * One long call for many appends. Errors are answers, and name the append by its correlation id. The call stays open
 * when the client has closed its half.
 */
export const batchAppend =
  (node: Node): handleBidiStreamingCall<pb.BatchAppendReq, pb.BatchAppendResp> =>
  (call) => {
    const { conduct, connections } = node;
    const open = new Map<string, OpenAppend>();
    const hear = inOrder(() => conduct.hearing());
    const say = inOrder(() => conduct.answering());

    const carryOutWhenComplete = (request: pb.BatchAppendReq) => {
      if (call.cancelled) return;
      const failure = leaderFailure(node);
      if (failure) {
        call.emit('error', failure);
        return;
      }
      const id = readUuid(request.getCorrelationId());
      const options = request.getOptions();
      if (options && !open.has(id)) open.set(id, { options, events: [] });
      const append = open.get(id);
      append?.events.push(...request.getProposedMessagesList().map(readProposedEvent));
      if (!append || !request.getIsFinal()) return;
      open.delete(id);
      const response = carryOut(node, call.metadata, append).setCorrelationId(writeUuid(id));
      const loss = response.hasSuccess() ? conduct.loseAnswer() : undefined;
      if (loss === 'disconnect') void connections.cut(call.getPeer());
      if (!loss) say(() => call.write(response));
    };
    call.on('data', (request) => hear(() => carryOutWhenComplete(request)));
  };

function carryOut(node: Node, credentials: Metadata, { options, events }: OpenAppend): pb.BatchAppendResp {
  const { store, version, maxAppendBytes } = node;
  const response = new pb.BatchAppendResp();
  const identifier = options.getStreamIdentifier();
  if (identifier) response.setStreamIdentifier(identifier);
  let stream: string;
  let expected: ExpectedRevision;
  try {
    stream = readStreamName(identifier);
    expected = readExpectedRevision(options, options.hasStreamPosition() ? options.getStreamPosition() : undefined);
  } catch (error) {
    return response.setError(answer.badRequest(String(error)));
  }
  response.setStreamIdentifier(writeStreamName(stream));
  if (accessFailure(node, credentials, 'write', stream)) return response.setError(answer.accessDenied());
  const deadline = options.getDeadline()?.toDate();
  if (deadline && deadline.getTime() <= Date.now()) return response.setError(answer.timeout());
  const proposed = events.filter((event) => event !== undefined);
  if (proposed.length < events.length) return response.setError(answer.badRequest('A type is required.'));
  if (version.sizeOf(proposed) > maxAppendBytes) {
    return response.setError(answer.maximumAppendSizeExceeded(maxAppendBytes));
  }
  const result = store.append(stream, expected, proposed);
  if (result.outcome !== 'written') return response.setError(toError(stream, expected, result));
  return response.setSuccess(answer.success(result));
}

const toError = (stream: string, expected: ExpectedRevision, refused: Refused) =>
  refused.outcome === 'stream-deleted'
    ? answer.streamDeleted(stream)
    : answer.wrongExpectedVersion(expected, refused.current);
