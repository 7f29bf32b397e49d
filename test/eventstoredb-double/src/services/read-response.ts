import pb from '@eventstore/db-client/generated/streams_pb.js';
import type { RecordedEvent } from '../store/recorded-event.js';
import type { ResolvedEvent } from '../store/resolve-link.js';
import { writeStreamName, writeUuid } from './wire.js';

const ticksPerMs = 10_000n;

function toRecordedEvent(event: RecordedEvent, structuredIds: boolean): pb.ReadResp.ReadEvent.RecordedEvent {
  const recorded = new pb.ReadResp.ReadEvent.RecordedEvent()
    .setId(writeUuid(event.id, structuredIds))
    .setStreamIdentifier(writeStreamName(event.stream))
    .setStreamRevision(String(event.revision))
    .setCommitPosition(String(event.position))
    .setPreparePosition(String(event.position))
    .setCustomMetadata(event.metadata)
    .setData(event.data);
  recorded
    .getMetadataMap()
    .set('type', event.type)
    .set('content-type', event.contentType)
    .set('created', String(BigInt(event.createdMs) * ticksPerMs));
  return recorded;
}

/** The commit position is that of the link, where there is one. */
export function eventMessage({ event, link }: ResolvedEvent, structuredIds: boolean): Uint8Array {
  const read = new pb.ReadResp.ReadEvent();
  if (event) read.setEvent(toRecordedEvent(event, structuredIds));
  if (link) read.setLink(toRecordedEvent(link, structuredIds));
  const position = (link ?? event)?.position;
  if (position !== undefined) read.setCommitPosition(String(position));
  return new pb.ReadResp().setEvent(read).serializeBinary();
}

export const confirmationMessage = (id: string) =>
  new pb.ReadResp().setConfirmation(new pb.ReadResp.SubscriptionConfirmation().setSubscriptionId(id)).serializeBinary();

export const caughtUpMessage = () => new pb.ReadResp().setCaughtUp(new pb.ReadResp.CaughtUp()).serializeBinary();

export const checkpointMessage = (commit: bigint, prepare: bigint) =>
  new pb.ReadResp()
    .setCheckpoint(new pb.ReadResp.Checkpoint().setCommitPosition(String(commit)).setPreparePosition(String(prepare)))
    .serializeBinary();

export const streamNotFoundMessage = (stream: string) =>
  new pb.ReadResp()
    .setStreamNotFound(new pb.ReadResp.StreamNotFound().setStreamIdentifier(writeStreamName(stream)))
    .serializeBinary();
