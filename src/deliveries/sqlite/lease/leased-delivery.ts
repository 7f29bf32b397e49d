import type { Message, NewDelivery, PreviousSecret } from '../../queue/delivery.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import type { DeliveryToLease, ListenerRow } from './delivery-to-lease.js';

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

/** A delivery before its first attempt. */
export const untriedDelivery = (
  { id, webhookId, replay, eventId }: NewDelivery,
  {
    type,
    body,
    recordedAt,
    traceparent,
  }: Pick<Message, 'type' | 'recordedAt' | 'traceparent'> & { readonly body: string },
  enqueuedAt: number,
): DeliveryToLease => ({
  id,
  webhookId,
  eventId,
  eventType: type,
  body,
  attempt: 1,
  enqueuedAt,
  recordedAt,
  ...(replay !== undefined && { replay }),
  ...(traceparent !== undefined && { traceparent }),
});
