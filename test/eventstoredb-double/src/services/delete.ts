import pb from '@eventstore/db-client/generated/streams_pb.js';
import type { handleUnaryCall, ServerUnaryCall } from '@grpc/grpc-js';
import { requireAccess } from '../access-control.js';
import type { Node } from '../node.js';
import type { Refused, Written } from '../store/event-store.js';
import { asCallFailure, streamDeleted, wrongExpectedVersion } from './call-failure.js';
import { requireLeader } from './require-leader.js';
import { readExpectedRevision, readStreamName } from './wire.js';

type Request = pb.DeleteReq | pb.TombstoneReq;

const deleteResponse = (at: bigint) =>
  new pb.DeleteResp().setPosition(
    new pb.DeleteResp.Position().setCommitPosition(String(at)).setPreparePosition(String(at)),
  );

const tombstoneResponse = (at: bigint) =>
  new pb.TombstoneResp().setPosition(
    new pb.TombstoneResp.Position().setCommitPosition(String(at)).setPreparePosition(String(at)),
  );

/** Carries out either kind of deletion and gives the position that it has in the log. */
function carryOut(
  node: Node,
  { metadata, request }: ServerUnaryCall<Request, unknown>,
  kind: 'delete' | 'tombstone',
): bigint {
  requireLeader(node);
  const options = request.getOptions() ?? new pb.DeleteReq.Options();
  const stream = readStreamName(options.getStreamIdentifier());
  requireAccess(node, metadata, 'delete', stream);
  const expected = readExpectedRevision(options, options.hasRevision() ? options.getRevision() : undefined);
  const result: Written | Refused = node.store[kind](stream, expected);
  if (result.outcome === 'stream-deleted') throw streamDeleted(stream);
  if (result.outcome === 'wrong-expected-version') throw wrongExpectedVersion(stream, expected, result.current);
  return result.position ?? 0n;
}

const deletion =
  <Req extends Request, Resp>(
    node: Node,
    kind: 'delete' | 'tombstone',
    toResponse: (at: bigint) => Resp,
  ): handleUnaryCall<Req, Resp> =>
  (call, callback) => {
    const answer = async () => {
      await node.conduct.hearing();
      if (call.cancelled) return;
      const position = carryOut(node, call, kind);
      await node.conduct.answering();
      callback(null, toResponse(position));
    };
    void answer().catch((error) => callback(asCallFailure(error)));
  };

export const deleteStream = (node: Node) => deletion<pb.DeleteReq, pb.DeleteResp>(node, 'delete', deleteResponse);

export const tombstoneStream = (node: Node) =>
  deletion<pb.TombstoneReq, pb.TombstoneResp>(node, 'tombstone', tombstoneResponse);
