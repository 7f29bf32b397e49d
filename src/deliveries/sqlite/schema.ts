import type { DatabaseFile } from '../../data-directory/database-file.js';

/**
 * A message is stored once, a listener once; a delivery is a small row between the two. `next_due` is when the first
 * waiting delivery of a listener is due: leasing goes by listeners, and costs the same however many deliveries wait.
 */
export const deliveriesFile: DatabaseFile = {
  name: 'deliveries.db',
  applicationId: 0x46_48_64_71, // "FHdq"
  migrations: [
    `CREATE TABLE messages (
       key INTEGER PRIMARY KEY,
       org_id TEXT NOT NULL,
       event_id TEXT NOT NULL,
       type TEXT NOT NULL,
       position INTEGER NOT NULL,
       body TEXT NOT NULL,
       UNIQUE (org_id, event_id)
     ) STRICT;
     CREATE INDEX messages_of_organisation ON messages (org_id);

     -- What a listener is comes with its first delivery; one that ended before it had any is only a closed gate.
     CREATE TABLE listeners (
       key INTEGER PRIMARY KEY,
       listener_id TEXT NOT NULL UNIQUE,
       org_id TEXT,
       hook_url TEXT,
       key_generation TEXT,
       secret_version INTEGER,
       position INTEGER NOT NULL DEFAULT -1,
       closed INTEGER NOT NULL DEFAULT 0,
       next_due INTEGER
     ) STRICT;
     CREATE INDEX listeners_due ON listeners (next_due) WHERE next_due IS NOT NULL;

     CREATE TABLE deliveries (
       key INTEGER PRIMARY KEY,
       id TEXT NOT NULL,
       webhook_id TEXT NOT NULL,
       message INTEGER NOT NULL,
       listener INTEGER NOT NULL,
       state INTEGER NOT NULL,
       attempts INTEGER NOT NULL DEFAULT 0,
       due_at INTEGER,
       enqueued_at INTEGER NOT NULL,
       last_status INTEGER,
       last_error TEXT,
       last_attempt_at INTEGER
     ) STRICT;
     -- An id belongs to one message: with the message first, new entries go to the end of the index and not all over it.
     CREATE UNIQUE INDEX deliveries_once ON deliveries (message, id);
     CREATE INDEX deliveries_waiting ON deliveries (listener, due_at) WHERE state = 0;
     CREATE INDEX deliveries_of_listener ON deliveries (listener, message);

     -- How many deliveries are in each state, so that nobody has to count them.
     CREATE TABLE tally (state INTEGER PRIMARY KEY, deliveries INTEGER NOT NULL) STRICT;
     INSERT INTO tally VALUES (0, 0), (1, 0), (2, 0), (3, 0);

     CREATE TABLE set_aside (
       position INTEGER PRIMARY KEY,
       stream TEXT NOT NULL,
       revision INTEGER NOT NULL,
       type TEXT NOT NULL,
       reason TEXT NOT NULL
     ) STRICT;
     CREATE TABLE checkpoints (reader TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT;`,
  ],
};

/** The states as they are stored. */
export const stateNumbers = { waiting: 0, succeeded: 1, exhausted: 2, cancelled: 3 } as const;
