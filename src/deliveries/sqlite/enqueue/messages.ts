import type Database from 'better-sqlite3';
import type { Message } from '../../queue/delivery.js';

/** A message's row; `message`: undefined if the row existed before, as its stored body may differ. */
export type StoredMessage = { readonly key: number; readonly message?: Message | undefined };

/** The bodies of flow events; within a transaction that the caller has begun. */
export type Messages = {
  /** Adds the message, or the body that its row lacks. An existing body is not changed. */
  readonly put: (message: Message) => StoredMessage;
  readonly find: (orgId: string, eventId: string) => StoredMessage | undefined;
};

export function openMessages(database: Database.Database): Messages {
  const add = database.prepare(
    `INSERT INTO messages (org_id, event_id, type, position, body, recorded_at, published_id) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const fill = database.prepare('UPDATE messages SET body = ?, published_id = ? WHERE key = ? AND body IS NULL');
  const find = database
    .prepare<[string, string], number>('SELECT key FROM messages WHERE org_id = ? AND event_id = ?')
    .pluck();
  return {
    put(message) {
      const { orgId, eventId, type, position, body, recordedAt = null, publishedId = null } = message;
      const { changes, lastInsertRowid } = add.run(orgId, eventId, type, position, body, recordedAt, publishedId);
      if (changes > 0) return { key: Number(lastInsertRowid), message };
      const key = find.get(orgId, eventId) as number; // the row that the new one conflicts with
      const isFilled = body !== null && fill.run(body, publishedId, key).changes > 0;
      return isFilled ? { key, message } : { key };
    },
    find(orgId, eventId) {
      const key = find.get(orgId, eventId);
      return key === undefined ? undefined : { key };
    },
  };
}

/** Identifies a message: a UUID has no space. */
export const messageName = ({ orgId, eventId }: Pick<Message, 'orgId' | 'eventId'>): string => `${eventId} ${orgId}`;
