import { publishedEventId } from '../flows/publish-flow-event.js';
import type { DeliveryQuery, DeliveryQueue, DeliveryRecord } from './delivery-queue.js';

/**
 * Deliveries of an organisation, those of the latest events first. `eventId` is a flow event's id as its producer knows it:
 * those that publish know the id that they gave it, those that write to the store know its UUID there.
 */
export async function findDeliveries(
  queue: Pick<DeliveryQueue, 'list'>,
  query: DeliveryQuery,
): Promise<readonly DeliveryRecord[]> {
  if (query.eventId === undefined) return queue.list(query);
  const published = await queue.list({ ...query, eventId: publishedEventId(query.orgId, query.eventId) });
  return published.length > 0 ? published : queue.list(query);
}
