import type { DeliveryLog } from './delivery-log.js';
import type { SetAsideEvents, WaitingEvents } from './kept-events.js';
import type { DeliveryLeasing } from './leasing.js';
import type { ListenerRegistry } from './listener-registry.js';

/**
 * The durable queue of deliveries. Every adapter passes `test/contract/delivery-queue.ts`. Times are milliseconds since 1970 by the
 * callers' clock, which may be set back: see `on-queue-time.ts`. Errors: `StoreUnavailable`, `StoreUnusable`. It has more than
 * twelve members, since one transaction may need all of its data: callers depend on the parts.
 */
export interface DeliveryQueue extends DeliveryLeasing, DeliveryLog, ListenerRegistry, SetAsideEvents, WaitingEvents {
  close(): Promise<void>;
}
