import type Database from 'better-sqlite3';
import type { Message } from '../../queue/delivery.js';
import { isFlowEvent } from '../../queue/policy/activity.js';
import type { Activity } from '../outcomes/activity.js';

/** A message's row; `message`: undefined if the row existed before, as its stored body may differ. */
export type StoredMessage = {
  readonly key: number;
  /** Of the flow event: the first one, if it was published again. */
  readonly position: bigint;
  readonly message?: Message | undefined;
};

/** The bodies of flow events; within a transaction that the caller has begun. */
export type Messages = {
  /**
   * Adds the message, or the body that its row lacks. An existing body is not changed, nor the row of another position.
   * `enqueuedAt`: milliseconds since 1970.
   */
  readonly put: (message: Message, enqueuedAt: number, isReplay?: boolean) => StoredMessage;
  readonly find: (orgId: string, eventId: string) => StoredMessage | undefined;
};

export function openMessages(database: Database.Database, activity: Pick<Activity, 'addEvent'>): Messages {
  const add = database.prepare(
    `INSERT INTO messages (org_id, event_id, type, position, body, recorded_at, published_id, traceparent)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  );
  const fill = database.prepare(
    'UPDATE messages SET body = ?, published_id = ?, traceparent = ? WHERE key = ? AND body IS NULL',
  );
  const find = database
    .prepare<[string, string], { readonly key: bigint; readonly position: bigint }>(
      'SELECT key, position FROM messages WHERE org_id = ? AND event_id = ?',
    )
    .safeIntegers(true);

  function findStored(orgId: string, eventId: string): StoredMessage | undefined {
    const row = find.get(orgId, eventId);
    return row && { key: Number(row.key), position: row.position };
  }

  return {
    put(message, enqueuedAt, isReplay = false) {
      const { orgId, eventId, type, position, body } = message;
      const { recordedAt = null, publishedId = null, traceparent = null } = message;
      const { changes, lastInsertRowid } = add.run(
        orgId,
        eventId,
        type,
        position,
        body,
        recordedAt,
        publishedId,
        traceparent,
      );
      if (changes > 0) {
        if (isFlowEvent(message, isReplay)) activity.addEvent(enqueuedAt);
        return { key: Number(lastInsertRowid), position, message };
      }
      const known = findStored(orgId, eventId) as StoredMessage; // the row that the new one conflicts with
      const mayFill = body !== null && (isReplay || known.position === position);
      const isFilled = mayFill && fill.run(body, publishedId, traceparent, known.key).changes > 0;
      return isFilled ? { ...known, message } : known;
    },
    find: findStored,
  };
}

/** Identifies a message: a UUID has no space. */
export const messageName = ({ orgId, eventId }: Pick<Message, 'orgId' | 'eventId'>): string => `${eventId} ${orgId}`;
