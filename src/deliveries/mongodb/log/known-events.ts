import type { Filter } from 'mongodb';
import { type DeliveryLog, endOfBeginning, type KnownEvent, type ListedEvent } from '../../queue/delivery-log.js';
import { type Collections, type MessageRow, messageKey } from '../collections.js';

type KnownEvents = Pick<DeliveryLog, 'body' | 'knownEvent' | 'knownEvents' | 'latestEvents' | 'eventsByBeginning'>;

type ListedRow = KnownEvent & Partial<ListedEvent>;

const projection = { _id: 0, orgId: 1, eventId: 1, type: 1, position: 1 } as const;

export function openKnownEvents({ messages }: Pick<Collections, 'messages'>): KnownEvents {
  const listed = (filter: Filter<MessageRow>) =>
    messages.find(filter).project<ListedRow>({ ...projection, recordedAt: 1, publishedId: 1 });
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
    async latestEvents({ orgId, before, term, limit }) {
      const position = { $gte: 0n, $lt: before };
      const rows = await listed({ orgId, position, terms: term }).sort({ position: -1 }).limit(limit).toArray();
      return rows.map(toListed);
    },
    async eventsByBeginning({ orgId, beginning, limit }) {
      const begins = { $elemMatch: { $gte: beginning, $lt: endOfBeginning(beginning) } };
      const rows = await listed({ orgId, terms: begins, position: { $gte: 0n } })
        .limit(limit)
        .toArray();
      return rows.map(toListed);
    },
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt ?? undefined,
  publishedId: publishedId ?? undefined,
});
