import pb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type { handleUnaryCall } from '@grpc/grpc-js';
import type { Node } from '../node.js';
import { asCallFailure } from './call-failure.js';

const streams = 'event_store.client.streams.streams';

const supported: [service: string, method: string, features?: string[]][] = [
  [streams, 'append'],
  [streams, 'batchappend', ['deadline_duration']],
  [streams, 'delete'],
  [streams, 'read', ['position', 'events']],
  [streams, 'tombstone'],
  ['event_store.client.gossip.gossip', 'read'],
];

/** Only what is here is listed: a client that misses a method may do without it. */
export const serverFeatures =
  ({ conduct, version }: Node): handleUnaryCall<shared.Empty, pb.SupportedMethods> =>
  (_call, callback) => {
    const methods = supported.map(([service, method, features = []]) =>
      new pb.SupportedMethod().setServiceName(service).setMethodName(method).setFeaturesList(features),
    );
    const answer = async () => {
      await conduct.answering();
      callback(null, new pb.SupportedMethods().setEventStoreServerVersion(version.number).setMethodsList(methods));
    };
    answer().catch((error) => callback(asCallFailure(error)));
  };
