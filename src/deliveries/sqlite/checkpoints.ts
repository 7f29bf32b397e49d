import type Database from 'better-sqlite3';
import { CheckpointLost, type FanOutCheckpoint } from '../delivery-queue.js';

/** How far readers have come; within a transaction that the caller has begun. */
export type Checkpoints = {
  /** Throws `CheckpointLost` where it follows one that is not there. */
  readonly keep: (checkpoint: FanOutCheckpoint) => void;
  readonly of: (reader: string) => bigint | undefined;
};

export function openCheckpoints(database: Database.Database): Checkpoints {
  const put = database.prepare(
    `INSERT INTO checkpoints (reader, position) VALUES (@reader, @position)
     ON CONFLICT (reader) DO UPDATE SET position = excluded.position`,
  );
  const move = database.prepare('UPDATE checkpoints SET position = @position WHERE reader = @reader');
  const find = database
    .prepare<[string], bigint>('SELECT position FROM checkpoints WHERE reader = ?')
    .pluck()
    .safeIntegers();
  return {
    keep({ reader, position, follows }) {
      const { changes } = (follows ? move : put).run({ reader, position });
      if (changes === 0) throw new CheckpointLost(reader);
    },
    of: (reader) => find.get(reader),
  };
}
