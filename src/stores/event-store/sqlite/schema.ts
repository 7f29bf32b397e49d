import type { DatabaseFile } from '../../sqlite/database-file.js';

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
