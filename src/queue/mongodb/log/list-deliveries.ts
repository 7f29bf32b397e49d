import type { Filter } from 'mongodb';
import { defined } from '../../../kernel/input/defined.js';
import { deliveryStates } from '../../delivery.js';
import { type DeliveryLog, type DeliveryQuery, hasLogs, type ListedDelivery } from '../../delivery-log.js';
import { defaultPageSize, type ListCursor, readCursor, writeCursor } from '../../delivery-pages.js';
import { type Collections, type DeliveryRow, type MessageRow, messageKey } from '../collections.js';

/** Deliveries of the latest flow events first. */
export type ListDeliveries = (query: DeliveryQuery) => Promise<readonly DeliveryRow[]>;

/** Reads an index from the page's first entry: the log's indexes have the state before the position. */
export function openList({ messages, deliveries }: Collections): ListDeliveries {
  /** The position of a flow event: the key of the deliveries' indexes. */
  async function positionOf(orgId: string, eventId: string): Promise<bigint | undefined> {
    const _id = messageKey({ orgId, eventId });
    return (await messages.findOne({ _id }, { projection: { position: 1 } }))?.position;
  }

  return async (query) => {
    const { orgId, id, eventId, listenerId, replay, before, limit = defaultPageSize } = query;
    const position = eventId === undefined ? undefined : await positionOf(orgId, eventId);
    if (eventId !== undefined && position === undefined) return [];
    const after = query.after === undefined ? undefined : readCursor(query.after);
    const filter: Filter<DeliveryRow> = {
      orgId,
      state: { $in: query.states ?? deliveryStates },
      ...defined({ _id: id, listenerId, replay, eventId }),
      $and: [
        position === undefined ? {} : { position },
        after ? behind(after) : {},
        before === undefined ? {} : { position: { $lt: before } },
      ],
    };
    return deliveries
      .find(filter)
      .project<DeliveryRow>(hasLogs(query) ? {} : { log: 0 })
      .sort({ position: -1, _id: -1 })
      .limit(limit)
      .toArray();
  };
}

/** The first condition uses the index, the second separates deliveries of the same flow event. */
const behind = ({ number, id }: ListCursor): Filter<DeliveryRow> => ({
  position: { $lte: number },
  $or: [{ position: { $lt: number } }, { _id: { $lt: id } }],
});

export const cursorOf = ({ position, _id }: Pick<DeliveryRow, 'position' | '_id'>): string =>
  writeCursor({ number: position, id: _id });

type ListedMessage = Pick<MessageRow, '_id' | 'type' | 'publishedId'>;

/** Adds the types and published ids, which are stored with the flow events. */
export async function toListed(
  { messages }: Pick<Collections, 'messages'>,
  query: DeliveryQuery,
  rows: readonly DeliveryRow[],
): Promise<readonly ListedDelivery[]> {
  const keys = [...new Set(rows.map(messageKey))];
  const found = messages.find({ _id: { $in: keys } }).project<ListedMessage>({ type: 1, publishedId: 1 });
  const messageOf = new Map((await found.toArray()).map((message) => [message._id, message]));
  return rows.map((row) => ({
    ...toRecord(row, messageOf.get(messageKey(row))),
    ...(hasLogs(query) && { log: row.log ?? [] }),
  }));
}

function toRecord(row: DeliveryRow, message: ListedMessage | undefined): ListedDelivery {
  const { _id, webhookId, orgId, eventId, listenerId, replay, state, attempts } = row;
  return {
    id: _id,
    webhookId,
    orgId,
    eventId,
    listenerId,
    state,
    attempts,
    publishedId: message?.publishedId,
    eventType: message?.type ?? '',
    replay,
    dueAt: row.dueAt?.getTime(),
    enqueuedAt: row.enqueuedAt.getTime(),
    lastStatus: row.lastStatus ?? undefined,
    lastError: row.lastError ?? undefined,
    lastAttemptAt: row.lastAttemptAt?.getTime(),
    cursor: cursorOf(row),
  };
}

export const openExhausted =
  ({ deliveries }: Pick<Collections, 'deliveries'>): DeliveryLog['exhausted'] =>
  async ({ from, to }) => {
    const ended = { state: 'exhausted', endedAt: { $gte: new Date(from), $lt: new Date(to) } };
    const groups = deliveries.aggregate<{ _id: string; exhausted: number }>([
      { $match: ended },
      { $group: { _id: '$listenerId', exhausted: { $sum: 1 } } },
    ]);
    return (await groups.toArray()).map(({ _id, exhausted }) => ({ listenerId: _id, exhausted: Number(exhausted) }));
  };
