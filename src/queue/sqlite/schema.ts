import type { DatabaseFile } from '../../stores/sqlite/database-file.js';
import type { DeliveryState } from '../delivery.js';

/**
 * Messages and listeners are stored once; a delivery is a small row between the two. Leasing goes by `next_due` of
 * listeners, so its cost does not depend on the number of waiting deliveries.
 */
export const deliveriesFile: DatabaseFile = {
  name: 'deliveries.db',
  applicationId: 0x46_48_64_71, // "FHdq"
  migrations: [
    `-- A body goes once the last delivery of its message is forgotten; its column traceparent with it.
     -- recorded_at is null for a test delivery. terms: a list in JSON.
     CREATE TABLE messages (
       key INTEGER PRIMARY KEY,
       org_id TEXT NOT NULL,
       event_id TEXT NOT NULL,
       type TEXT NOT NULL,
       position INTEGER NOT NULL,
       body TEXT,
       recorded_at INTEGER,
       published_id TEXT,
       traceparent TEXT,
       terms TEXT,
       UNIQUE (org_id, event_id)
     ) STRICT;
     CREATE INDEX messages_of_organisation ON messages (org_id);
     CREATE INDEX messages_by_position ON messages (org_id, position);

     -- The terms of messages, by which these are found. Triggers, so that no term outlives its message.
     CREATE TABLE search_terms (
       org_id TEXT NOT NULL,
       term TEXT NOT NULL,
       position INTEGER NOT NULL,
       message INTEGER NOT NULL,
       PRIMARY KEY (org_id, term, position DESC, message)
     ) STRICT, WITHOUT ROWID;
     CREATE TRIGGER terms_added AFTER INSERT ON messages WHEN new.terms IS NOT NULL BEGIN
       INSERT INTO search_terms SELECT new.org_id, value, new.position, new.key FROM json_each(new.terms);
     END;
     CREATE TRIGGER terms_removed AFTER UPDATE OF terms ON messages WHEN old.terms IS NOT NULL BEGIN
       DELETE FROM search_terms WHERE org_id = old.org_id AND position = old.position AND message = old.key
         AND term IN (SELECT value FROM json_each(old.terms));
     END;
     CREATE TRIGGER terms_deleted AFTER DELETE ON messages WHEN old.terms IS NOT NULL BEGIN
       DELETE FROM search_terms WHERE org_id = old.org_id AND position = old.position AND message = old.key
         AND term IN (SELECT value FROM json_each(old.terms));
     END;

     -- A listener's settings come with its first delivery; one that ended before it had any is only a closed gate.
     -- subscription, secret and health are JSON. due_since: the due time of the first delivery that health or rate delays until next_due.
     CREATE TABLE listeners (
       key INTEGER PRIMARY KEY,
       listener_id TEXT NOT NULL UNIQUE,
       org_id TEXT,
       hook_url TEXT,
       subscription TEXT,
       secret TEXT,
       position INTEGER NOT NULL DEFAULT -1,
       closed INTEGER NOT NULL DEFAULT 0,
       next_due INTEGER,
       ordered INTEGER NOT NULL AS (ifnull(subscription ->> '$.ordered', 0)) STORED,
       paused INTEGER NOT NULL DEFAULT 0,
       health TEXT,
       due_since INTEGER
     ) STRICT;
     CREATE INDEX listeners_due ON listeners (next_due) WHERE next_due IS NOT NULL;
     CREATE INDEX listeners_kept_back ON listeners (due_since) WHERE due_since IS NOT NULL;
     CREATE INDEX listeners_due_of_organisation ON listeners (org_id, next_due) WHERE next_due IS NOT NULL;
     CREATE INDEX listeners_of_organisation ON listeners (org_id);
     CREATE INDEX listeners_with_breaker ON listeners (json_extract(health, '$.breaker.openings'))
       WHERE health IS NOT NULL;
     CREATE INDEX listeners_failing ON listeners (json_extract(health, '$.failing.since'))
       WHERE paused = 1 AND health IS NOT NULL;

     -- turn: the position of its event, where its listener is ordered: only those pay for the index.
     -- log: its attempts, a line of JSON for each.
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
       last_attempt_at INTEGER,
       replay TEXT,
       turn INTEGER,
       ended_at INTEGER,
       log TEXT
     ) STRICT;
     -- By these, the deliveries of one event to many listeners go to the end of the index; ids are random.
     CREATE UNIQUE INDEX deliveries_once ON deliveries (message, listener, ifnull(replay, ''));
     CREATE INDEX deliveries_waiting ON deliveries (listener, due_at) WHERE state = 0;
     CREATE INDEX deliveries_of_listener ON deliveries (listener, message);
     CREATE INDEX deliveries_in_turn ON deliveries (listener, turn) WHERE state = 0 AND turn IS NOT NULL;
     CREATE INDEX deliveries_not_delivered ON deliveries (listener, state, message) WHERE state > 1;
     CREATE INDEX deliveries_ended ON deliveries (ended_at) WHERE ended_at IS NOT NULL;
     -- Few deliveries are exhausted: they are counted by the minute.
     CREATE INDEX deliveries_exhausted ON deliveries (ended_at, listener) WHERE state = 2;
     CREATE INDEX deliveries_of_replay ON deliveries (replay, message) WHERE replay IS NOT NULL;
     -- Finds a delivery by its id alone. Ids are random: among the latest thousand, a new one touches few pages.
     CREATE INDEX deliveries_by_id ON deliveries (key >> 10, substr(id, 1, 8));

     -- Number of deliveries in each state, as a running sum.
     CREATE TABLE tally (state INTEGER PRIMARY KEY, deliveries INTEGER NOT NULL) STRICT;
     INSERT INTO tally VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0);

     CREATE TABLE set_aside (
       position INTEGER PRIMARY KEY,
       stream TEXT NOT NULL,
       revision INTEGER NOT NULL,
       type TEXT NOT NULL,
       reason TEXT NOT NULL
     ) STRICT;
     -- kept_at: by the queue's clock, which continues from the latest after a restart, whatever the wall clock shows.
     CREATE TABLE checkpoints (reader TEXT PRIMARY KEY, position INTEGER NOT NULL, kept_at INTEGER) STRICT;

     -- The key holds the listener and the day: (listener << 20) + days since 1970.
     CREATE TABLE attempts_by_day (
       key INTEGER PRIMARY KEY,
       succeeded INTEGER NOT NULL,
       failed INTEGER NOT NULL,
       exhausted INTEGER NOT NULL,
       duration_ms REAL NOT NULL
     ) STRICT;
     -- The key holds the half hour and the listener: (half hours since 1970 << 32) + listener. What is written at a time is together.
     CREATE TABLE attempts_by_half_hour (
       key INTEGER PRIMARY KEY,
       succeeded INTEGER NOT NULL,
       failed INTEGER NOT NULL,
       exhausted INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE cancelled_replays (replay TEXT PRIMARY KEY) STRICT;

     -- Of all listeners together; minutes since 1970. The histograms are arrays in JSON.
     CREATE TABLE activity_by_minute (
       minute INTEGER PRIMARY KEY,
       events INTEGER NOT NULL,
       succeeded INTEGER NOT NULL,
       failed INTEGER NOT NULL,
       exhausted INTEGER NOT NULL,
       latency TEXT NOT NULL,
       duration TEXT NOT NULL
     ) STRICT;

     -- Events behind the checkpoint of a reader that it has not handed over.
     CREATE TABLE waiting_events (
       key INTEGER PRIMARY KEY,
       reader TEXT NOT NULL,
       org_id TEXT NOT NULL,
       position INTEGER NOT NULL,
       stream TEXT NOT NULL,
       revision INTEGER NOT NULL,
       UNIQUE (reader, org_id, position)
     ) STRICT;`,
    `-- Number of redeliveries requested: an attempt that was under way at the last one does not end the delivery.
     ALTER TABLE deliveries ADD COLUMN requests INTEGER NOT NULL DEFAULT 0;`,
    `-- An attempt counts in its half hour alone, which becomes part of its day when it is old. Those of earlier versions
     -- counted in both: their durations stay in the days.
     ALTER TABLE attempts_by_half_hour ADD COLUMN duration_ms REAL NOT NULL DEFAULT 0;
     UPDATE attempts_by_day SET succeeded = attempts_by_day.succeeded - counted.succeeded,
       failed = attempts_by_day.failed - counted.failed, exhausted = attempts_by_day.exhausted - counted.exhausted
     FROM (
       SELECT ((key & 0xffffffff) << 20) + (key >> 32) / 48 AS day,
         sum(succeeded) AS succeeded, sum(failed) AS failed, sum(exhausted) AS exhausted
       FROM attempts_by_half_hour GROUP BY day
     ) AS counted
     WHERE attempts_by_day.key = counted.day;`,
  ],
};

export const stateNumbers = { waiting: 0, succeeded: 1, exhausted: 2, cancelled: 3, held: 4 } as const;

/** `releasing`: resumed, but nothing is leased until all held deliveries are released. */
export const pausedNumbers = { active: 0, paused: 1, releasing: 2 } as const;

export type StateNumber = (typeof stateNumbers)[keyof typeof stateNumbers];

export const stateNames = [
  'waiting',
  'succeeded',
  'exhausted',
  'cancelled',
  'held',
] as const satisfies readonly DeliveryState[];
