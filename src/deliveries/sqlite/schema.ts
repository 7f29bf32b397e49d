import type { DatabaseFile } from '../../stores/sqlite/database-file.js';
import type { DeliveryState } from '../queue/delivery.js';

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

    `-- A body goes once the last delivery of its message is forgotten.
     CREATE TABLE kept_messages (
       key INTEGER PRIMARY KEY,
       org_id TEXT NOT NULL,
       event_id TEXT NOT NULL,
       type TEXT NOT NULL,
       position INTEGER NOT NULL,
       body TEXT,
       UNIQUE (org_id, event_id)
     ) STRICT;
     INSERT INTO kept_messages SELECT key, org_id, event_id, type, position, body FROM messages;
     DROP TABLE messages;
     ALTER TABLE kept_messages RENAME TO messages;
     CREATE INDEX messages_of_organisation ON messages (org_id);
     CREATE INDEX messages_by_position ON messages (org_id, position);

     ALTER TABLE listeners ADD COLUMN ordered INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE listeners ADD COLUMN rate_per_second REAL;
     ALTER TABLE listeners ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
     ALTER TABLE listeners ADD COLUMN previous_secret TEXT;
     -- JSON; null where there is nothing to say.
     ALTER TABLE listeners ADD COLUMN health TEXT;
     -- Since when something of a hook has been due whose health or rate keeps it back until next_due.
     ALTER TABLE listeners ADD COLUMN due_since INTEGER;
     CREATE INDEX listeners_kept_back ON listeners (due_since) WHERE due_since IS NOT NULL;
     CREATE INDEX listeners_due_of_organisation ON listeners (org_id, next_due) WHERE next_due IS NOT NULL;
     CREATE INDEX listeners_of_organisation ON listeners (org_id);
     CREATE INDEX listeners_with_breaker ON listeners (json_extract(health, '$.breaker.openings'))
       WHERE health IS NOT NULL;

     ALTER TABLE deliveries ADD COLUMN replay TEXT;
     -- The position of its event, where its hook is ordered: only those pay for the index.
     ALTER TABLE deliveries ADD COLUMN turn INTEGER;
     ALTER TABLE deliveries ADD COLUMN ended_at INTEGER;
     -- Its attempts: a line of JSON for each.
     ALTER TABLE deliveries ADD COLUMN log TEXT;
     UPDATE deliveries SET ended_at = ifnull(last_attempt_at, enqueued_at) WHERE state <> 0;
     CREATE INDEX deliveries_in_turn ON deliveries (listener, turn) WHERE state = 0 AND turn IS NOT NULL;
     CREATE INDEX deliveries_not_delivered ON deliveries (listener, state, message) WHERE state > 1;
     CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
     CREATE INDEX deliveries_of_replay ON deliveries (replay, message) WHERE replay IS NOT NULL;
     -- Finds a delivery by its id alone. Ids are random: among the latest thousand, a new one touches few pages.
     CREATE INDEX deliveries_by_id ON deliveries (key >> 10, substr(id, 1, 8));
     INSERT INTO tally VALUES (4, 0);

     -- The key holds the listener and the day: (listener << 20) + days since 1970.
     CREATE TABLE attempts_by_day (
       key INTEGER PRIMARY KEY,
       succeeded INTEGER NOT NULL,
       failed INTEGER NOT NULL,
       exhausted INTEGER NOT NULL,
       duration_ms REAL NOT NULL
     ) STRICT;
     CREATE TABLE cancelled_replays (replay TEXT PRIMARY KEY) STRICT;`,

    `-- A delivery is the only one of its message, listener and replay. By those, the deliveries of one event to many hooks go
     -- to the end of the index too; ids are random.
     DROP INDEX deliveries_once;
     CREATE UNIQUE INDEX deliveries_once ON deliveries (message, listener, ifnull(replay, ''));`,

    `-- By the queue's clock, which goes on from the latest after a restart, wherever the wall clock is then.
     ALTER TABLE checkpoints ADD COLUMN kept_at INTEGER;
     -- Null where it was not noted yet.
     ALTER TABLE messages ADD COLUMN recorded_at INTEGER;`,

    `-- Comes and goes with the body. Null where it was not noted yet.
     ALTER TABLE messages ADD COLUMN published_id TEXT;`,

    `-- Comes and goes with the body. Null where the flow event belongs to no trace.
     ALTER TABLE messages ADD COLUMN traceparent TEXT;`,

    `-- Of all hooks together; minutes since 1970. The histograms are arrays in JSON.
     CREATE TABLE activity_by_minute (
       minute INTEGER PRIMARY KEY,
       events INTEGER NOT NULL,
       succeeded INTEGER NOT NULL,
       failed INTEGER NOT NULL,
       exhausted INTEGER NOT NULL,
       latency TEXT NOT NULL,
       duration TEXT NOT NULL
     ) STRICT;
     CREATE INDEX listeners_failing ON listeners (json_extract(health, '$.failing.since'))
       WHERE paused = 1 AND health IS NOT NULL;`,

    `-- The expression that makes the body of a hook's deliveries. Null where it gets the event as it is.
     ALTER TABLE listeners ADD COLUMN transform TEXT;`,

    `-- Events behind the checkpoint of a reader that it has not handed over.
     CREATE TABLE waiting_events (
       key INTEGER PRIMARY KEY,
       reader TEXT NOT NULL,
       org_id TEXT NOT NULL,
       position INTEGER NOT NULL,
       stream TEXT NOT NULL,
       revision INTEGER NOT NULL,
       UNIQUE (reader, org_id, position)
     ) STRICT;`,
  ],
};

/** The states as they are stored. */
export const stateNumbers = { waiting: 0, succeeded: 1, exhausted: 2, cancelled: 3, held: 4 } as const;

/**
 * Whether a hook is paused, as it is stored. `releasing`: it has been resumed, and its held deliveries are being released; until
 * all of them are, nothing is leased.
 */
export const pausedNumbers = { active: 0, paused: 1, releasing: 2 } as const;

export type StateNumber = (typeof stateNumbers)[keyof typeof stateNumbers];

/** The states by their numbers. */
export const stateNames = [
  'waiting',
  'succeeded',
  'exhausted',
  'cancelled',
  'held',
] as const satisfies readonly DeliveryState[];
