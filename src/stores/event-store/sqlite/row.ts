import type { RecordedEvent } from '../event-store.js';

/** An event as the file holds it. */
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

/** What is not JSON, because somebody else has written into the file, is nothing: whoever decodes the event says so. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
