import type { DeliveryCounts, DeliveryQuery, DeliveryRecord } from '../delivery-queue.js';
import { type Collections, type DeliveryRow, messageKey } from './collections.js';
import type { Tally } from './tally.js';

export type DeliveryReader = {
  readonly counts: (now: number) => Promise<DeliveryCounts>;
  readonly list: (query: DeliveryQuery) => Promise<readonly DeliveryRecord[]>;
};

/** Up to here what waits is counted, by its index; beyond it the tally is told, so that asking costs little at any size. */
const countedUpTo = 10_000;

export function deliveryReader({ messages, targets, deliveries, setAside }: Collections, tally: Tally): DeliveryReader {
  /** As the hints tell: a hook whose deliveries are all under way is not behind. */
  async function oldestDueAt(now: number): Promise<number | undefined> {
    const oldest = { nextDue: { $gte: new Date(0), $lte: new Date(now) } };
    const [hook] = await targets.find(oldest).sort({ nextDue: 1 }).limit(1).toArray();
    return hook?.nextDue?.getTime();
  }

  /** The position of a flow event, which the indexes of deliveries go by. */
  async function positionOf(orgId: string, eventId: string): Promise<bigint | undefined> {
    const _id = messageKey({ orgId, eventId });
    return (await messages.findOne({ _id }, { projection: { position: 1 } }))?.position;
  }

  return {
    async counts(now) {
      const limit = countedUpTo;
      const [tallied, waiting, aside, oldest] = await Promise.all([
        tally.read(),
        deliveries.countDocuments({ state: 'waiting' }, { limit }),
        setAside.countDocuments({}, { limit }),
        oldestDueAt(now),
      ]);
      return {
        ...tallied,
        waiting: waiting < limit ? waiting : Math.max(limit, tallied.waiting),
        setAside: aside,
        oldestDueAt: oldest,
      };
    },

    async list({ orgId, eventId, listenerId, limit = 100 }) {
      const position = eventId === undefined ? undefined : await positionOf(orgId, eventId);
      if (eventId !== undefined && position === undefined) return [];
      const query = {
        orgId,
        ...(listenerId !== undefined && { listenerId }),
        ...(position !== undefined && { position, eventId }),
      };
      return (await deliveries.find(query).sort({ position: -1 }).limit(limit).toArray()).map(toRecord);
    },
  };
}

const toRecord = ({
  _id,
  webhookId,
  orgId,
  eventId,
  listenerId,
  state,
  attempts,
  ...row
}: DeliveryRow): DeliveryRecord => ({
  ...{ id: _id, webhookId, orgId, eventId, listenerId, state, attempts },
  dueAt: row.dueAt?.getTime(),
  enqueuedAt: row.enqueuedAt.getTime(),
  lastStatus: row.lastStatus ?? undefined,
  lastError: row.lastError ?? undefined,
  lastAttemptAt: row.lastAttemptAt?.getTime(),
});
