import type { PreviousSecret } from '../../queue/delivery.js';
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
