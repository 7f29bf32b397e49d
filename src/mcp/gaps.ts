import { LRUCache } from 'lru-cache';
import type { ListenerDetails } from '../events/listener-events.js';
import type { DeliveryQueue } from '../queue/delivery-queue.js';
import { type AgentSettings, notifyAgents } from './callbacks.js';

/**
 * Notifies a host that deliveries of its subscription were given up since `since` (milliseconds since 1970). `cursor`: the host continues
 * there. Never rejects.
 */
export type NotifyGap = (details: ListenerDetails, gap: { since: number; cursor: string }) => Promise<void>;

/** Subscriptions in memory, with the latest delivery whose host was notified. */
const maxNotified = 10_000;
const pageSize = 100;

/**
 * One signed notice for the latest dead letter, at a refresh. Its ID is that of the delivery, so that hosts drop the notice of another
 * instance as a duplicate. It is sent again by the next refresh after a failure.
 */
export function gapNotices({
  queue,
  ...settings
}: AgentSettings & { queue: Pick<DeliveryQueue, 'deliveries'> }): NotifyGap {
  const notified = new LRUCache<string, string>({ max: maxNotified });
  const notify = notifyAgents(settings, 'deliveries were given up');

  async function latestGivenUp({ orgId, listenerId }: ListenerDetails, since: number): Promise<string | undefined> {
    const { deliveries } = await queue.deliveries({ orgId, listenerId, states: ['exhausted'], limit: pageSize });
    const [latest] = deliveries
      .filter(({ lastAttemptAt }) => lastAttemptAt !== undefined && lastAttemptAt >= since)
      .sort((a, b) => (b.lastAttemptAt ?? 0) - (a.lastAttemptAt ?? 0));
    return latest?.id;
  }

  return async (details, { since, cursor }) => {
    const { listenerId } = details;
    const message = async () => {
      const deliveryId = await latestGivenUp(details, since);
      if (deliveryId === undefined || notified.get(listenerId) === deliveryId) return undefined;
      notified.set(listenerId, deliveryId); // before the post: refreshes may be concurrent
      return { id: `msg_gap_${deliveryId.replaceAll('-', '')}`, body: { type: 'gap', cursor } };
    };
    if (!(await notify(details, message))) notified.delete(listenerId);
  };
}
