import { publishedEventId } from '../../flows/publish-flow-event.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import type { DeliveryQuery, ListedDelivery } from '../queue/delivery-log.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

/**
 * Deliveries of an organisation, those of the latest events first. `eventId` is a flow event's id as its producer knows it:
 * those that publish know the id that they gave it, those that write to the store know its UUID there.
 */
export async function findDeliveries(
  queue: Pick<DeliveryQueue, 'list' | 'knownEvent'>,
  query: DeliveryQuery,
): Promise<readonly ListedDelivery[]> {
  if (query.eventId === undefined) return queue.list(query);
  return queue.list({ ...query, eventId: await storeEventId(queue, query.orgId, query.eventId) });
}

/** The UUID that a flow event has in the store. */
export async function storeEventId(
  queue: Pick<DeliveryQueue, 'knownEvent'>,
  orgId: string,
  eventId: string,
): Promise<string> {
  const published = publishedEventId(orgId, eventId);
  return (await queue.knownEvent(orgId, published)) ? published : canonicalUuid(eventId);
}
