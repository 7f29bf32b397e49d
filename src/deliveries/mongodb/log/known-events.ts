import type { KnownEvent, KnownEventsQuery, LatestEventsQuery, ListedEvent } from '../../queue/delivery-log.js';
import { type Collections, messageKey } from '../collections.js';

/** The flow events that the fan-out has processed. */
export type KnownEvents = {
  readonly body: (orgId: string, eventId: string) => Promise<string | undefined>;
  readonly find: (orgId: string, eventId: string) => Promise<KnownEvent | undefined>;
  readonly list: (query: KnownEventsQuery) => Promise<readonly KnownEvent[]>;
  readonly latest: (query: LatestEventsQuery) => Promise<readonly ListedEvent[]>;
};

const projection = { _id: 0, orgId: 1, eventId: 1, type: 1, position: 1 } as const;

export function openKnownEvents({ messages }: Pick<Collections, 'messages'>): KnownEvents {
  return {
    async body(orgId, eventId) {
      const found = await messages.findOne({ _id: messageKey({ orgId, eventId }) }, { projection: { body: 1 } });
      return found?.body ?? undefined;
    },
    async find(orgId, eventId) {
      const found = await messages.findOne<KnownEvent>({ _id: messageKey({ orgId, eventId }) }, { projection });
      return found ?? undefined;
    },
    list: ({ orgId, after, upTo, limit }) =>
      messages
        .find({ orgId, position: { $gt: after, $lte: upTo } })
        .project<KnownEvent>(projection)
        .sort({ position: 1 })
        .limit(limit)
        .toArray(),
    async latest({ orgId, before, limit }) {
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
