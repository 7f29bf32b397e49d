import type Database from 'better-sqlite3';
import type { Message } from '../delivery.js';

/** A message and its row; `message`: undefined where it was there before, and may have gone out in other words. */
export type StoredMessage = { readonly key: number; readonly message?: Message | undefined };

/** Flow events as they are sent; within a transaction that the caller has begun. */
export type Messages = {
  /** Adds it, or the body that it has lacked; what is there stays what it is. */
  readonly put: (message: Message) => StoredMessage;
  readonly find: (orgId: string, eventId: string) => StoredMessage | undefined;
};

export function openMessages(database: Database.Database): Messages {
  const add = database
    .prepare<unknown[], number>(
      `INSERT INTO messages (org_id, event_id, type, position, body) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body WHERE body IS NULL AND excluded.body IS NOT NULL
       RETURNING key`,
    )
    .pluck();
  const find = database
    .prepare<[string, string], number>('SELECT key FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  return {
    put(message) {
      const { orgId, eventId, type, position, body } = message;
      const key = add.get(orgId, eventId, type, position, body);
      return key === undefined ? { key: find.get(orgId, eventId) as number } : { key, message };
    },
    find(orgId, eventId) {
      const key = find.get(orgId, eventId);
      return key === undefined ? undefined : { key };
    },
  };
}

/** Tells messages apart: a UUID has no space. */
export const messageName = ({ orgId, eventId }: Pick<Message, 'orgId' | 'eventId'>): string => `${eventId} ${orgId}`;
