import type { KnownEvent, KnownEventsQuery } from '../../queue/delivery-log.js';
import { type Collections, messageKey } from '../collections.js';

/** The flow events that the fan-out has processed. */
export type KnownEvents = {
  readonly find: (orgId: string, eventId: string) => Promise<KnownEvent | undefined>;
  readonly list: (query: KnownEventsQuery) => Promise<readonly KnownEvent[]>;
};

const projection = { _id: 0, orgId: 1, eventId: 1, type: 1, position: 1 } as const;

export function openKnownEvents({ messages }: Pick<Collections, 'messages'>): KnownEvents {
  return {
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
  };
}
