import type { DatabaseFile } from '../../sqlite/database-file.js';
import type { RecordedEvent } from '../event-store.js';

export const eventsFile: DatabaseFile = {
  name: 'events.db',
  applicationId: 0x46_48_65_76, // "FHev"
  migrations: [
    `CREATE TABLE streams (
       id   INTEGER PRIMARY KEY,
       name TEXT NOT NULL UNIQUE
     ) STRICT;

     CREATE TABLE events (
       position INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
       stream   INTEGER NOT NULL REFERENCES streams (id),
       revision INTEGER NOT NULL,
       id       TEXT    NOT NULL,                  -- a UUID in lower case
       category TEXT    NOT NULL,                  -- of the stream: what subscriptions filter by
       type     TEXT    NOT NULL,
       data     TEXT    NOT NULL,                  -- JSON
       metadata TEXT    NOT NULL,                  -- JSON
       created  INTEGER NOT NULL,                  -- milliseconds since 1970
       UNIQUE (stream, revision)
     ) STRICT;

     CREATE INDEX events_by_category ON events (category, position);
     CREATE INDEX events_by_id ON events (stream, id, revision);`,
  ],
};

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

const positionOf = ([, , , position]: Row): bigint => position;

export function lastPosition(rows: readonly Row[]): bigint | undefined {
  const last = rows.at(-1);
  return last && positionOf(last);
}

export const sizeOfRow = (row: Row): number => row[5].length + row[6].length;

/** Undefined for text that is not JSON, written by another program: the event's decoder reports it. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
