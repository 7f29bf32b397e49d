import type { Message, NewDelivery, PreviousSecret } from '../../queue/delivery.js';
import type { LeasedDelivery } from '../../queue/leasing.js';
import type { DeliveryToLease, HookRow } from './delivery-to-lease.js';

export const leasedDelivery = (lease: string, hook: HookRow, delivery: DeliveryToLease): LeasedDelivery => ({
  lease,
  listenerId: hook.listenerId,
  orgId: hook.orgId,
  hookUrl: hook.hookUrl,
  keyGeneration: hook.keyGeneration,
  secretVersion: hook.secretVersion,
  ordered: hook.ordered === 1,
  ...(hook.previousSecret !== null && { previousSecret: JSON.parse(hook.previousSecret) as PreviousSecret }), // as it was written
  ...(hook.transform !== null && { transform: hook.transform }),
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
