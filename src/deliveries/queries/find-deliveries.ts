import { publishedEventId } from '../../flows/publish-flow-event.js';
import { canonicalUuid } from '../../kernel/input/texts.js';
import type { DeliveryQuery, ListedDelivery } from '../queue/delivery-log.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';

/**
 * Deliveries of an organisation, of the latest events first. `eventId`: the flow event's id of its producer: the
 * published id, or the UUID in the store of an appended event.
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
