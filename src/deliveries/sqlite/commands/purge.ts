import type Database from 'better-sqlite3';
import type { PurgeRequest } from '../../queue/listener-registry.js';
import type { StateNumber } from '../schema.js';
import { type Tally, TallyChanges } from '../tally.js';

type Ended = { readonly key: number; readonly message: number; readonly state: StateNumber };

/**
 * Deletes deliveries that ended before a time; within a transaction that the caller has begun. The cost depends on the rows
 * deleted, not on those kept. A large body costs more, as it is overwritten, so the time limit is checked after each row.
 */
export function openPurge(database: Database.Database, tally: Tally): (request: PurgeRequest) => number {
  const oldest = database.prepare<[number], Ended>(
    'SELECT key, message, state FROM deliveries WHERE ended_at < ? ORDER BY ended_at LIMIT 1',
  );
  const forget = database.prepare('DELETE FROM deliveries WHERE key = ?');
  const dropBody = database.prepare(
    `UPDATE messages SET body = NULL, published_id = NULL, traceparent = NULL
     WHERE key = @key AND body IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = @key)`,
  );

  return ({ before, limit, withinMs = Number.POSITIVE_INFINITY }) => {
    const deadline = performance.now() + withinMs;
    const changes = new TallyChanges();
    let deleted = 0;
    while (deleted < limit) {
      const old = oldest.get(before);
      if (!old) break;
      forget.run(old.key);
      dropBody.run({ key: old.message });
      changes.add(old.state, -1);
      deleted += 1;
      if (performance.now() >= deadline) break;
    }
    changes.writeTo(tally);
    return deleted;
  };
}
