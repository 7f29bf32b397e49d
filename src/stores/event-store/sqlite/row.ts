import type { RecordedEvent } from '../event-store.js';

export type Row = [
  id: string,
  stream: string,
  revision: bigint,
  position: bigint,
  type: string,
  data: string,
  metadata: string,
  created: bigint,
];

export const toEvent = ([id, stream, revision, position, type, data, metadata, created]: Row): RecordedEvent => ({
  id,
  stream,
  revision,
  position,
  type,
  data: parsed(data),
  metadata: parsed(metadata),
  created: new Date(Number(created)),
});

export const sizeOfRow = (row: Row): number => row[5].length + row[6].length;

/** Undefined for text that is not JSON, written by another program: the event's decoder reports it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
