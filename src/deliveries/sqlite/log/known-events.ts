import type Database from 'better-sqlite3';
import { limitBy } from '../../../stores/sqlite/limit-by.js';
import type { KnownEvent, KnownEventsQuery } from '../../queue/delivery-log.js';

/** The flow events that the queue has a message of. */
export type KnownEvents = {
  readonly find: (orgId: string, eventId: string) => KnownEvent | undefined;
  readonly list: (query: KnownEventsQuery) => readonly KnownEvent[];
};

const columns = 'org_id AS orgId, event_id AS eventId, type, position';

export function openKnownEvents(database: Database.Database): KnownEvents {
  const find = database
    .prepare<[string, string], KnownEvent>(`SELECT ${columns} FROM messages WHERE org_id = ? AND event_id = ?`)
    .safeIntegers(true);
  const list = database
    .prepare<[KnownEventsQuery], KnownEvent>(
      `SELECT ${columns} FROM messages WHERE org_id = @orgId AND position > @after AND position <= @upTo
       ORDER BY position, key ${limitBy('@limit')}`,
    )
    .safeIntegers(true);
  return { find: (orgId, eventId) => find.get(orgId, eventId), list: (query) => list.all(query) };
}
