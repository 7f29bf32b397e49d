import { randomUUID } from 'node:crypto';
import pb from '@eventstore/db-client/generated/gossip_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import { host } from '../connections.js';
import type { Node } from '../node.js';
import { asCallFailure } from './call-failure.js';
import { writeUuid } from './wire.js';

const instanceId = randomUUID();
const { LEADER, FOLLOWER } = pb.MemberInfo.VNodeState;

const member = (id: string, state: pb.MemberInfo.VNodeState, address: string, port: number) =>
  new pb.MemberInfo()
    .setInstanceId(writeUuid(id))
    .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new pb.EndPoint().setAddress(address).setPort(port));

/** A cluster of one; of two when another node is said to be the leader. */
export const gossip =
  ({ conduct, connections }: Node): handleUnaryCall<shared.Empty, pb.ClusterInfo> =>
  (_call, callback) => {
    const answer = async () => {
      await conduct.answering();
      const leader = conduct.told.leaderIsAt;
      const self = member(instanceId, leader ? FOLLOWER : LEADER, host, connections.port);
      const others = leader ? [member(randomUUID(), LEADER, leader.host, leader.port)] : [];
      callback(null, new pb.ClusterInfo().setMembersList([self, ...others]));
    };
    answer().catch((error) => callback(asCallFailure(error)));
  };
