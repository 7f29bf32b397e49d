import type Database from 'better-sqlite3';
import type { PreviousSecret } from '../../queue/delivery.js';
import type { LeasedDelivery } from '../../queue/leasing.js';

/** Times are the queue's. */
export type ListenerRow = {
  readonly key: number;
  readonly listenerId: string;
  readonly orgId: string;
  readonly hookUrl: string;
  readonly keyGeneration: string;
  readonly secretVersion: number;
  readonly previousSecret: string | null;
  readonly transform: string | null;
  readonly ordered: number;
  readonly ratePerSecond: number | null;
  readonly health: string | null;
};

export type ListenerBefore = ListenerRow & { readonly nextDue: number | null; readonly keptBackSince: number | null };

export type DeliveryToLease = Pick<
  LeasedDelivery,
  | 'id'
  | 'webhookId'
  | 'replay'
  | 'eventId'
  | 'eventType'
  | 'body'
  | 'attempt'
  | 'enqueuedAt'
  | 'recordedAt'
  | 'traceparent'
>;

export type WaitingDelivery = DeliveryToLease & { readonly dueAt: number };

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

/** Reads waiting deliveries by key, and each message once. */
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

export const leasedDelivery = (lease: string, listener: ListenerRow, delivery: DeliveryToLease): LeasedDelivery => ({
  lease,
  listenerId: listener.listenerId,
  orgId: listener.orgId,
  hookUrl: listener.hookUrl,
  keyGeneration: listener.keyGeneration,
  secretVersion: listener.secretVersion,
  ordered: listener.ordered === 1,
  ...(listener.previousSecret !== null && { previousSecret: JSON.parse(listener.previousSecret) as PreviousSecret }), // as it was written
  ...(listener.transform !== null && { transform: listener.transform }),
  ...delivery,
});
