import type Database from 'better-sqlite3';
import type { WaitingEvent } from '../delivery.js';
import { CheckpointLost, type FanOutCheckpoint } from '../fan-out-batch.js';
import { QueueClock } from '../policy/queue-clock.js';

type WaitingEventRows = {
  /** The first of each organisation, or of one. */
  firstOf: (readers: readonly string[], orgId?: string) => readonly WaitingEvent[];
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
    firstOf(readers, orgId) {
      const found = new Map<string, WaitingEvent>();
      for (const reader of readers) {
        for (const each of orgId === undefined ? organisations.all(reader) : [orgId]) {
          const event = first.get(reader, each);
          const known = found.get(each);
          if (event && (known === undefined || event.position < known.position)) found.set(each, event);
        }
      }
      return [...found.values()];
    },
  };
}

export type Checkpoints = {
  /** One that follows another never moves back. Throws `CheckpointLost` if there is no other. */
  move: (checkpoint: FanOutCheckpoint) => void;
  /** Writes nothing for a lost checkpoint: the reader's next batch is refused with `CheckpointLost`. */
  moveUnlessLost: (checkpoint: FanOutCheckpoint) => void;
  of: (reader: string) => bigint | undefined;
  ofAll: (readers: readonly string[]) => ReadonlyMap<string, bigint>;
  waiting: WaitingEventRows;
};

/** `clock`: continues from the latest checkpoint. */
export function openCheckpoints(database: Database.Database): Checkpoints & { clock: QueueClock } {
  const putRow = database.prepare(
    `INSERT INTO checkpoints (reader, position, kept_at) VALUES (@reader, @position, @at)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position, kept_at = excluded.kept_at`,
  );
  const moveRow = database.prepare(
    'UPDATE checkpoints SET position = max(position, @position), kept_at = @at WHERE reader = @reader',
  );
  const latest = database.prepare<[], number | null>('SELECT max(kept_at) FROM checkpoints').pluck();
  const find = database
    .prepare<[string], bigint>('SELECT position FROM checkpoints WHERE reader = ?')
    .pluck()
    .safeIntegers();
  const waiting = openWaitingEvents(database);
  const clock = new QueueClock(latest.get() ?? undefined);

  function move(checkpoint: FanOutCheckpoint): void {
    const { reader, position, follows } = checkpoint;
    waiting.put(checkpoint);
    const { changes } = (follows ? moveRow : putRow).run({ reader, position, at: clock.reached ?? null });
    if (changes === 0) throw new CheckpointLost(reader);
  }

  return {
    clock,
    move,
    moveUnlessLost(checkpoint) {
      if (!checkpoint.follows || find.get(checkpoint.reader) !== undefined) move(checkpoint);
    },
    of: (reader) => find.get(reader),
    ofAll(readers) {
      const positions = readers.map((reader) => [reader, find.get(reader)] as const);
      return new Map(positions.flatMap(([reader, position]) => (position === undefined ? [] : [[reader, position]])));
    },
    waiting,
  };
}
