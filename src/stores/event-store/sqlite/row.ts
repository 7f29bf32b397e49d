import type { RecordedEvent } from '../event-store.js';

/** An event as stored in the file. */
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

/** Characters of JSON. */
export const sizeOfRow = (row: Row): number => row[5].length + row[6].length;

/**
 * Undefined where the text is not JSON, because another program has written to the file: the event's decoder reports
 * it.
 */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
