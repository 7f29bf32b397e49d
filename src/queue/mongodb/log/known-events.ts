import type { Filter } from 'mongodb';
import {
  type DeliveryLog,
  type EventsQuery,
  endOfBeginning,
  type KnownEvent,
  type ListedEvent,
} from '../../delivery-log.js';
import { type Collections, type MessageRow, messageKey } from '../collections.js';

type ListedRow = KnownEvent & Partial<ListedEvent>;

const columns = { _id: 0, orgId: 1, eventId: 1, type: 1, position: 1, recordedAt: 1, publishedId: 1 } as const;

export function openKnownEvents({ messages }: Pick<Collections, 'messages'>): Pick<DeliveryLog, 'events'> {
  const find = (filter: Filter<MessageRow>) => messages.find(filter).project<ListedRow>(columns);

  function found(query: EventsQuery) {
    if ('eventId' in query) return find({ _id: messageKey(query) }).project<ListedRow>({ ...columns, body: 1 });
    const { orgId, limit } = query;
    if ('upTo' in query) {
      const position = { $gt: query.after, $lte: query.upTo };
      return find({ orgId, position }).sort({ position: 1 }).limit(limit);
    }
    if ('beginning' in query) {
      const begins = { $elemMatch: { $gte: query.beginning, $lt: endOfBeginning(query.beginning) } };
      return find({ orgId, terms: begins, position: { $gte: 0n } }).limit(limit);
    }
    const position = { $gte: 0n, $lt: query.before };
    return find({ orgId, position, terms: query.term }).sort({ position: -1 }).limit(limit);
  }

  return {
    async events(query) {
      const rows = await found(query).toArray();
      return 'eventId' in query
        ? rows.map((row) => ({ ...toListed(row), body: row.body ?? null }))
        : rows.map(toListed);
    },
  };
}

const toListed = ({ recordedAt, publishedId, ...known }: ListedRow): ListedEvent => ({
  ...known,
  recordedAt: recordedAt ?? undefined,
  publishedId: publishedId ?? undefined,
});
