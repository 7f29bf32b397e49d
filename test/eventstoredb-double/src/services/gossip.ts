import pb from '@eventstore/db-client/generated/gossip_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { MemberView } from '../membership.js';
import type { Node } from '../node.js';
import { asCallFailure } from './call-failure.js';
import { writeUuid } from './wire.js';

const { LEADER, FOLLOWER, UNKNOWN } = pb.MemberInfo.VNodeState;
const states = { leader: LEADER, follower: FOLLOWER, unknown: UNKNOWN };

const memberInfo = ({ id, state, isAlive, address: { host, port } }: MemberView) =>
  new pb.MemberInfo()
    .setInstanceId(writeUuid(id))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(states[state])
    .setIsAlive(isAlive)
    .setHttpEndPoint(new pb.EndPoint().setAddress(host).setPort(port));

export const gossip =
  ({ conduct, membership }: Node): handleUnaryCall<shared.Empty, pb.ClusterInfo> =>
  (_call, callback) => {
    const answer = async () => {
      await conduct.answering();
      callback(null, new pb.ClusterInfo().setMembersList(membership.members().map(memberInfo)));
    };
    answer().catch((error) => callback(asCallFailure(error)));
  };
