import type { DeliveryLog, KnownEvent, ListedEvent } from '../../queue/delivery-log.js';
import { type Collections, messageKey } from '../collections.js';

type KnownEvents = Pick<DeliveryLog, 'body' | 'knownEvent' | 'knownEvents' | 'latestEvents'>;

const projection = { _id: 0, orgId: 1, eventId: 1, type: 1, position: 1 } as const;

export function openKnownEvents({ messages }: Pick<Collections, 'messages'>): KnownEvents {
  return {
    async body(orgId, eventId) {
      const found = await messages.findOne({ _id: messageKey({ orgId, eventId }) }, { projection: { body: 1 } });
      return found?.body ?? undefined;
    },
    async knownEvent(orgId, eventId) {
      const found = await messages.findOne<KnownEvent>({ _id: messageKey({ orgId, eventId }) }, { projection });
      return found ?? undefined;
    },
    knownEvents: ({ orgId, after, upTo, limit }) =>
      messages
        .find({ orgId, position: { $gt: after, $lte: upTo } })
        .project<KnownEvent>(projection)
        .sort({ position: 1 })
        .limit(limit)
        .toArray(),
    async latestEvents({ orgId, before, limit }) {
      const rows = await messages
        .find({ orgId, position: { $gte: 0n, ...(before !== undefined && { $lt: before }) } })
        .project<KnownEvent & Partial<ListedEvent>>({ ...projection, recordedAt: 1, publishedId: 1 })
        .sort({ position: -1 })
        .limit(limit)
        .toArray();
      return rows.map(({ recordedAt, publishedId, ...known }) => ({
        ...known,
        recordedAt: recordedAt ?? undefined,
        publishedId: publishedId ?? undefined,
      }));
    },
  };
}
