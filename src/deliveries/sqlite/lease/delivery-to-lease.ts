import type { LeasedDelivery } from '../../queue/leasing.js';

/** A listener's row; times are the queue's. */
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

/** A listener and its schedule before deliveries are enqueued for it. */
export type ListenerBefore = ListenerRow & { readonly nextDue: number | null; readonly keptBackSince: number | null };

/** A delivery with its message. */
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
