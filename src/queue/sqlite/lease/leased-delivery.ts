import type Database from 'better-sqlite3';
import type { QueuedListener } from '../../delivery.js';
import type { LeasedDelivery } from '../../leasing.js';

export type ListenerRow = Omit<QueuedListener, 'paused' | 'position'> & {
  key: number;
  health: string | null;
};

/** `subscription` and `secret` are JSON. */
export type StoredListener = Record<'subscription' | 'secret', string> & Omit<ListenerRow, 'subscription' | 'secret'>;

export const listenerColumns =
  'key, listener_id AS listenerId, org_id AS orgId, hook_url AS hookUrl, subscription, secret, health';

/** Changes the row, because spreading takes ten times as long. */
export function parseListener<Row extends StoredListener>(
  row: Row,
): Omit<Row, 'subscription' | 'secret'> & ListenerRow {
  const { subscription, secret } = row;
  return Object.assign(row, { subscription: JSON.parse(subscription), secret: JSON.parse(secret) }); // as they were written
}

/** Times are the queue's. */
export type ListenerBefore = ListenerRow & { nextDue: number | null; keptBackSince: number | null };

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

export type WaitingDelivery = { delivery: DeliveryToLease; row: { attempts: number; requests: number } };

type Row = {
  id: string;
  webhookId: string;
  replay: string | null;
  attempts: number;
  requests: number;
  enqueuedAt: number;
  message: number;
};
type MessageRow = {
  eventId: string;
  eventType: string;
  body: string;
  recordedAt: number | null;
  traceparent: string | null;
};

/** Reads waiting deliveries by key, and each message once. */
export function openWaitingDeliveries(database: Database.Database): () => (key: number) => WaitingDelivery {
  const findDelivery = database.prepare<[number], Row>(
    `SELECT id, webhook_id AS webhookId, replay, attempts, requests, enqueued_at AS enqueuedAt, message
     FROM deliveries WHERE key = ?`,
  );
  const findMessage = database.prepare<[number], MessageRow>(
    `SELECT event_id AS eventId, type AS eventType, body, recorded_at AS recordedAt, traceparent
     FROM messages WHERE key = ?`,
  );

  return () => {
    const messages = new Map<number, MessageRow>();
    return (key) => {
      const { id, webhookId, replay, attempts, requests, enqueuedAt, message } = findDelivery.get(key) as Row;
      const found = messages.get(message) ?? (findMessage.get(message) as MessageRow);
      messages.set(message, found);
      const { eventId, eventType, body, recordedAt, traceparent } = found;
      const delivery = {
        id,
        webhookId,
        eventId,
        eventType,
        body,
        attempt: attempts + 1,
        enqueuedAt,
        recordedAt: recordedAt ?? undefined,
        ...(replay !== null && { replay }),
        ...(traceparent !== null && { traceparent }),
      };
      return { delivery, row: { attempts, requests } };
    };
  };
}

export const leasedDelivery = (asRead: string, listener: ListenerRow, delivery: DeliveryToLease): LeasedDelivery => ({
  asRead,
  listenerId: listener.listenerId,
  orgId: listener.orgId,
  hookUrl: listener.hookUrl,
  subscription: listener.subscription,
  secret: listener.secret,
  ...delivery,
});
