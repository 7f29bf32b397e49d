import type { AttemptReport, DeliveryFinder } from '../../../src/queue/delivery-log.js';

/** Attempts of a delivery; none if the organisation has no such delivery. */
export async function logOf(queue: DeliveryFinder, orgId: string, id: string): Promise<readonly AttemptReport[]> {
  return (await queue.deliveries({ orgId, id })).deliveries[0]?.log ?? [];
}
