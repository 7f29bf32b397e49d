import type Database from 'better-sqlite3';
import type { WaitingDelivery } from './delivery-to-lease.js';

type Row = {
  readonly id: string;
  readonly webhookId: string;
  readonly replay: string | null;
  readonly attempts: number;
  readonly enqueuedAt: number;
  readonly dueAt: number;
  readonly message: number;
};
type MessageRow = {
  readonly eventId: string;
  readonly eventType: string;
  readonly body: string;
  readonly recordedAt: number | null;
  readonly traceparent: string | null;
};

/** Returns a reader of waiting deliveries by key, which reads each message once. The keys come from an index in the same transaction. */
export function openWaitingDeliveries(database: Database.Database): () => (key: number) => WaitingDelivery {
  const findDelivery = database.prepare<[number], Row>(
    `SELECT id, webhook_id AS webhookId, replay, attempts, enqueued_at AS enqueuedAt, due_at AS dueAt,
       message
     FROM deliveries WHERE key = ?`,
  );
  const findMessage = database.prepare<[number], MessageRow>(
    `SELECT event_id AS eventId, type AS eventType, body, recorded_at AS recordedAt, traceparent
     FROM messages WHERE key = ?`,
  );

  return () => {
    const messages = new Map<number, MessageRow>();
    return (key) => {
      const { id, webhookId, replay, attempts, enqueuedAt, dueAt, message } = findDelivery.get(key) as Row;
      const found = messages.get(message) ?? (findMessage.get(message) as MessageRow);
      messages.set(message, found);
      const { eventId, eventType, body, recordedAt, traceparent } = found;
      return {
        id,
        webhookId,
        eventId,
        eventType,
        body,
        attempt: attempts + 1,
        enqueuedAt,
        dueAt,
        recordedAt: recordedAt ?? undefined,
        ...(replay !== null && { replay }),
        ...(traceparent !== null && { traceparent }),
      };
    };
  };
}
