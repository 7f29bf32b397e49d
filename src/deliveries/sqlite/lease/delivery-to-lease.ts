import type { LeasedDelivery } from '../../queue/leasing.js';

/** A hook's row; times are the queue's. */
export type HookRow = {
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

/** A hook and its schedule before deliveries are enqueued for it. */
export type HookBefore = HookRow & { readonly nextDue: number | null; readonly keptBackSince: number | null };

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
