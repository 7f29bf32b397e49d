import type { DeliveryLog } from './delivery-log.js';
import type { QueueKeeping } from './keeping.js';
import type { DeliveriesOwed } from './leasing.js';
import type { ListenerLog } from './listener-log.js';

/** The queue without its end, which is left to its opener. */
export type OpenQueue = DeliveriesOwed & DeliveryLog & ListenerLog & QueueKeeping;

/**
 * The durable queue of deliveries; adapters pass `test/contract/delivery-queue.ts`. Times are milliseconds since 1970
 * by the callers' clock, which may be set back. Errors: `StoreUnavailable`, `StoreUnusable`. Callers depend on its parts: decision 50.
 */
export interface DeliveryQueue extends OpenQueue {
  close(): Promise<void>;
}
