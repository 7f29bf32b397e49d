import type Database from 'better-sqlite3';
import type { OnRollback } from '../../stores/sqlite/group-commit.js';
import type { WaitingEvent } from '../queue/delivery.js';
import { CheckpointLost, type FanOutCheckpoint } from '../queue/leasing.js';
import type { QueueClock } from '../queue/policy/queue-clock.js';

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
  /** `at`: the queue's time. Throws `CheckpointLost` if it follows a checkpoint that does not exist. */
  keep: (checkpoint: FanOutCheckpoint, at: number | undefined) => void;
  latest: () => number | undefined;
  of: (reader: string) => bigint | undefined;
  ofAll: (readers: readonly string[]) => ReadonlyMap<string, bigint>;
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
    ofAll(readers) {
      const positions = readers.map((reader) => [reader, find.get(reader)] as const);
      return new Map(positions.flatMap(([reader, position]) => (position === undefined ? [] : [[reader, position]])));
    },
    waiting,
  };
}

/** Checkpoints that wait for unwritten deliveries: `old` for those of the last interval, `young` for all. */
export function pendingCheckpoints({ keep, of, waiting }: Checkpoints, clock: Pick<QueueClock, 'reached'>) {
  let pending: { old?: FanOutCheckpoint; young?: FanOutCheckpoint } = {};

  function set(next: typeof pending, onRollback: OnRollback): void {
    const before = pending;
    pending = next;
    onRollback(() => {
      pending = before;
    });
  }

  const isLost = ({ reader, follows }: FanOutCheckpoint): boolean => follows === true && of(reader) === undefined;

  /** Writes nothing after a lost checkpoint: the reader's next batch is refused with `CheckpointLost`. */
  function write(checkpoint: FanOutCheckpoint | undefined): void {
    if (checkpoint && !isLost(checkpoint)) keep(checkpoint, clock.reached);
  }

  return {
    exist: () => pending.old !== undefined || pending.young !== undefined,
    /** Throws `CheckpointLost`. */
    replaceBy(checkpoint: FanOutCheckpoint, onRollback: OnRollback): void {
      keep(checkpoint, clock.reached);
      set({}, onRollback);
    },
    /** Throws `CheckpointLost`. */
    add(checkpoint: FanOutCheckpoint, onRollback: OnRollback): void {
      if (isLost(checkpoint)) throw new CheckpointLost(checkpoint.reader);
      waiting.put(checkpoint); // at once: an event that waits is read again if the checkpoint is lost
      const { waiting: _, ...young } = checkpoint;
      set({ old: pending.old, young }, onRollback);
    },
    writeAll(onRollback: OnRollback): void {
      write(pending.young ?? pending.old);
      set({}, onRollback);
    },
    writeOld(onRollback: OnRollback): void {
      write(pending.old);
      set({ old: pending.young }, onRollback);
    },
  };
}
