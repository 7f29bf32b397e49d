import { webhookHeaders } from '../../queue/delivery.js';
import type { DeliveryLog } from '../../queue/delivery-log.js';
import { DeliveryNotFound } from '../commands/redeliver.js';

/** Request of the latest attempt of a delivery, without the hook URL and the signature. */
export type SentRequest = {
  /** Null before the first attempt. */
  headers: Readonly<Record<string, string>> | null;
  /** The same bytes at each attempt, before the listener's transformation. Null: no longer kept. */
  body: string | null;
};

/** Throws `DeliveryNotFound`. */
export async function sentRequest(
  queue: Pick<DeliveryLog, 'deliveries' | 'events'>,
  orgId: string,
  id: string,
): Promise<SentRequest> {
  const [delivery] = (await queue.deliveries({ orgId, id })).deliveries;
  if (!delivery) throw new DeliveryNotFound(orgId, id);
  const { webhookId, eventId, lastAttemptAt } = delivery;
  const [event] = await queue.events({ orgId, eventId });
  return {
    headers: lastAttemptAt === undefined ? null : webhookHeaders(webhookId, lastAttemptAt),
    body: event?.body ?? null,
  };
}
