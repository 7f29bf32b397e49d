import type Database from 'better-sqlite3';
import type { WaitingEvent, WaitingEvents } from '../queue/kept-events.js';
import { CheckpointLost, type FanOutCheckpoint } from '../queue/leasing.js';
import type { InTransaction } from './shared.js';

type WaitingEventRows = InTransaction<WaitingEvents> & {
  /** Adds the events that wait behind a checkpoint, and removes the one that it hands over. Repeatable. */
  put: (checkpoint: FanOutCheckpoint) => void;
};

function openWaitingEvents(database: Database.Database): WaitingEventRows {
  const add = database.prepare(
    `INSERT INTO waiting_events (reader, org_id, position, stream, revision)
     VALUES (@reader, @orgId, @position, @stream, @revision) ON CONFLICT DO NOTHING`,
  );
  const remove = database.prepare('DELETE FROM waiting_events WHERE reader = ? AND org_id = ? AND position = ?');
  const organisations = database
    .prepare<[string], string>('SELECT DISTINCT org_id FROM waiting_events WHERE reader = ?')
    .pluck();
  const first = database
    .prepare<[string, string], WaitingEvent>(
      `SELECT org_id AS orgId, position, stream, revision FROM waiting_events WHERE reader = ? AND org_id = ?
       ORDER BY position LIMIT 1`,
    )
    .safeIntegers();
  return {
    put({ reader, waiting = [], handedOver }) {
      for (const event of waiting) add.run({ reader, ...event });
      if (handedOver) remove.run(reader, handedOver.orgId, handedOver.position);
    },
    waitingOrganisations: (reader) => organisations.all(reader),
    firstWaiting: (reader, orgId) => first.get(reader, orgId),
  };
}

export type Checkpoints = {
  /** `at`: the queue's time. Throws `CheckpointLost` if it follows a checkpoint that does not exist. */
  keep: (checkpoint: FanOutCheckpoint, at: number | undefined) => void;
  latest: () => number | undefined;
  of: (reader: string) => bigint | undefined;
  waiting: WaitingEventRows;
};

export function openCheckpoints(database: Database.Database): Checkpoints {
  const put = database.prepare(
    `INSERT INTO checkpoints (reader, position, kept_at) VALUES (@reader, @position, @at)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position, kept_at = excluded.kept_at`,
  );
  const move = database.prepare('UPDATE checkpoints SET position = @position, kept_at = @at WHERE reader = @reader');
  const latest = database.prepare<[], number | null>('SELECT max(kept_at) FROM checkpoints').pluck();
  const find = database
    .prepare<[string], bigint>('SELECT position FROM checkpoints WHERE reader = ?')
    .pluck()
    .safeIntegers();
  const waiting = openWaitingEvents(database);
  return {
    keep(checkpoint, at) {
      const { reader, position, follows } = checkpoint;
      waiting.put(checkpoint);
      const { changes } = (follows ? move : put).run({ reader, position, at: at ?? null });
      if (changes === 0) throw new CheckpointLost(reader);
    },
    latest: () => latest.get() ?? undefined,
    of: (reader) => find.get(reader),
    waiting,
  };
}
