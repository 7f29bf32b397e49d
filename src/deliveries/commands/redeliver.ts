import { DomainError } from '../../kernel/domain-error.js';
import { ListenerIsPaused, ListenerNotRegistered } from '../../listeners/queries/deliverable-listener.js';
import type { DeliveryState } from '../../queue/delivery.js';
import type { AttemptReport, DeliveryLog, DeliveryQuery, DeliveryRecord } from '../../queue/delivery-log.js';
import type { DeliveryQueue } from '../../queue/delivery-queue.js';
import {
  type DeliverySearch,
  type ReplaysDuring,
  searchDeliveries,
  storeEventId,
} from '../queries/search-deliveries.js';

export class DeliveryNotFound extends DomainError {
  readonly code = 'delivery_not_found';

  constructor(orgId: string, id: string) {
    super(`${orgId} has no delivery '${id}': it never had, or it has been forgotten after DELIVERY_RETENTION`);
  }
}

type Queue = DeliveryLog & Pick<DeliveryQueue, 'redeliver' | 'closedGates'>;

/** A delivery with the latest 100 attempts at it. Throws `DeliveryNotFound`. */
export async function showDelivery(
  queue: Pick<DeliveryLog, 'deliveries'>,
  orgId: string,
  id: string,
): Promise<{ delivery: DeliveryRecord; attempts: readonly AttemptReport[] }> {
  const [delivery] = (await queue.deliveries({ orgId, id })).deliveries;
  if (!delivery) throw new DeliveryNotFound(orgId, id);
  return { delivery, attempts: delivery.log ?? [] };
}

/**
 * Makes a delivery due now, in any state; its attempts are numbered on. Throws `DeliveryNotFound`, and
 * `ListenerNotRegistered` or `ListenerIsPaused` if its listener takes none.
 */
export async function redeliverOne(queue: Queue, orgId: string, id: string, now: number): Promise<DeliveryRecord> {
  const { redelivered } = await queue.redeliver({ orgId, id }, now);
  const [delivery] = (await queue.deliveries({ orgId, id })).deliveries;
  if (!delivery) throw new DeliveryNotFound(orgId, id);
  if (redelivered > 0) return delivery;
  throw await refusalOf(queue, delivery.listenerId);
}

/** Several deliveries: those of these IDs, or all that a search finds. */
export type RedeliverSeveral =
  | { orgId: string; ids: readonly string[] }
  | (DeliverySearch & { states: readonly DeliveryState[] });

export type Redelivered = {
  redelivered: number;
  /**
   * Selected deliveries that were not redelivered: removed or paused listeners, or no longer there or in that state.
   */
  leftOut?: number;
  /** The `after` of the next step; undefined: this was the last. */
  next: string | undefined;
};

/**
 * Redelivers several: of a search one page, which bounds a step. Throws `ListenerNotRegistered` or `ListenerIsPaused`
 * if the search is for one listener that takes none.
 */
export async function redeliverSeveral(
  queue: Queue,
  request: RedeliverSeveral,
  now: number,
  replaysDuring?: ReplaysDuring,
): Promise<Redelivered> {
  const { orgId } = request;
  if ('ids' in request) return redeliverEach(queue, request.ids, { orgId }, now);
  const { type, from, to, error, ...query } = request;
  const redelivered =
    (type ?? from ?? to ?? error) === undefined
      ? await redeliverPage(queue, query, now)
      : await redeliverFound(queue, request, now, replaysDuring);
  if (redelivered.redelivered === 0) await requireDeliverable(queue, request);
  return redelivered;
}

async function redeliverPage(queue: Queue, query: DeliveryQuery, now: number): Promise<Redelivered> {
  const eventId = query.eventId && (await storeEventId(queue, query.orgId, query.eventId));
  return queue.redeliver({ ...query, eventId }, now);
}

async function redeliverFound(
  queue: Queue,
  search: DeliverySearch,
  now: number,
  replaysDuring?: ReplaysDuring,
): Promise<Redelivered> {
  const { deliveries, next } = await searchDeliveries(queue, search, replaysDuring);
  const ids = deliveries.map(({ id }) => id);
  const { orgId, states } = search; // another caller may have redelivered them meanwhile
  return { ...(await redeliverEach(queue, ids, { orgId, states }, now)), next };
}

async function requireDeliverable(queue: Queue, search: DeliverySearch): Promise<void> {
  if (search.listenerId === undefined) return;
  const { deliveries } = await searchDeliveries(queue, search);
  if (deliveries.length > 0) throw await refusalOf(queue, search.listenerId);
}

async function refusalOf(queue: Queue, listenerId: string): Promise<ListenerNotRegistered | ListenerIsPaused> {
  const closed = await queue.closedGates([listenerId]);
  return closed.has(listenerId) ? new ListenerNotRegistered() : new ListenerIsPaused();
}

async function redeliverEach(
  queue: Queue,
  ids: readonly string[],
  query: Pick<DeliveryQuery, 'orgId' | 'states'>,
  now: number,
): Promise<Redelivered> {
  let redelivered = 0;
  for (const id of ids) redelivered += (await queue.redeliver({ ...query, id }, now)).redelivered;
  return { redelivered, leftOut: ids.length - redelivered, next: undefined };
}
