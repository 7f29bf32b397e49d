import type shared from '@eventstore/db-client/generated/shared_pb.js';
import type jspb from 'google-protobuf';
import type { ProposedEvent } from '../store/recorded-event.js';
import { readUuid } from './wire.js';

/** An event as both ways of appending carry it. */
interface ProposedMessage {
  getId(): shared.UUID | undefined;
  getMetadataMap(): jspb.Map<string, string>;
  getCustomMetadata_asU8(): Uint8Array;
  getData_asU8(): Uint8Array;
}

/** Undefined when its type or content type is missing. */
export function readProposedEvent(message: ProposedMessage): ProposedEvent | undefined {
  const type = message.getMetadataMap().get('type');
  const contentType = message.getMetadataMap().get('content-type');
  if (type === undefined || contentType === undefined) return undefined;
  return {
    id: readUuid(message.getId()),
    type,
    contentType,
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}
