import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import featureServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { certificate, certificateKey } from '../certificate.js';
import type { Node } from '../node.js';
import { append } from './append.js';
import { batchAppend } from './batch-append.js';
import { deleteStream, tombstoneStream } from './delete.js';
import { gossip } from './gossip.js';
import { read } from './read.js';
import { serverFeatures } from './server-features.js';

const limits = {
  'grpc.max_concurrent_streams': 100,
  'grpc.max_send_message_length': -1,
  'grpc.keepalive_time_ms': 11_000,
};

const { StreamsService } = streamServices;

/** Read gives its answers serialised, see Outbox. */
const streamsService = {
  ...StreamsService,
  read: { ...StreamsService.read, responseSerialize: (message: Uint8Array) => Buffer.from(message) },
};

/** The services, behind connections that others accept. */
export function grpcServer(node: Node) {
  const server = new Server({ ...limits, 'grpc.max_receive_message_length': node.version.maxMessageBytes });
  server.addService(streamsService, {
    read: read(node),
    append: append(node),
    batchAppend: batchAppend(node),
    delete: deleteStream(node),
    tombstone: tombstoneStream(node),
  });
  server.addService(gossipServices.GossipService, { read: gossip(node) });
  server.addService(featureServices.ServerFeaturesService, { getSupportedMethods: serverFeatures(node) });
  const injector = server.createConnectionInjector(
    node.users.length > 0
      ? ServerCredentials.createSsl(null, [
          { cert_chain: Buffer.from(certificate), private_key: Buffer.from(certificateKey) },
        ])
      : ServerCredentials.createInsecure(),
  );
  return { serve: injector.injectConnection, close: injector.destroy };
}
