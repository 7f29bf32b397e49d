import type { DeliveryLog } from './delivery-log.js';
import type { QueueKeeping } from './keeping.js';
import type { DeliveryLeasing } from './leasing.js';
import type { ListenerRegistry } from './listener-registry.js';

/**
 * The durable queue of deliveries; adapters pass `test/contract/delivery-queue.ts`. Times are milliseconds since 1970
 * by the callers' clock, which may be set back. Errors: `StoreUnavailable`, `StoreUnusable`. Over twelve members, since
 * one transaction may need all of its data: callers depend on the parts.
 */
export interface DeliveryQueue extends DeliveryLeasing, DeliveryLog, ListenerRegistry, QueueKeeping {
  close(): Promise<void>;
}
