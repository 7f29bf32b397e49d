import type Database from 'better-sqlite3';
import { limitBy } from '../../data-directory/limit-by.js';
import type { StateNumber } from './schema.js';
import { type Tally, TallyChanges } from './tally.js';

type Ended = { readonly key: number; readonly message: number; readonly state: StateNumber };

/** Forgets what ended long ago; within a transaction that the caller has begun. It costs what it forgets, whatever is kept. */
export function purger(
  database: Database.Database,
  tally: Tally,
): (request: { readonly before: number; readonly limit: number }) => number {
  const ended = database.prepare<[number, number], Ended>(
    `SELECT key, message, state FROM deliveries WHERE ended_at < ? ORDER BY ended_at ${limitBy()}`,
  );
  const forget = database.prepare('DELETE FROM deliveries WHERE key = ?');
  const dropBody = database.prepare(
    `UPDATE messages SET body = NULL
     WHERE key = @key AND body IS NOT NULL AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message = @key)`,
  );

  return ({ before, limit }) => {
    const old = ended.all(before, limit);
    const changes = new TallyChanges();
    for (const { key, state } of old) {
      forget.run(key);
      changes.add(state, -1);
    }
    changes.writeTo(tally);
    for (const key of new Set(old.map(({ message }) => message))) dropBody.run({ key });
    return old.length;
  };
}
