import { isoOrNull } from '../../kernel/iso-time.js';
import type { SetAside } from '../../queue/delivery.js';
import type { AttemptReport, DeliveryCounts, DeliveryRecord, ListedDelivery } from '../../queue/delivery-log.js';
import type { ListenerStates } from '../../queue/listener-log.js';
import { findWaits, type Wait } from '../../queue/waits.js';
import type { Retried } from '../commands/retry-set-aside.js';
import type { TestDelivery } from '../commands/test-delivery.js';

// For the CLI's JSON and the admin API: times in ISO 8601, null: unknown; positions and revisions as text, because JSON
// numbers are not exact beyond 2^53.

export type DeliverySummary = ReturnType<typeof summaryOf>;

/** Deliveries, each with what it waits for. `now`: milliseconds since 1970. */
export async function deliverySummaries(
  queue: ListenerStates,
  deliveries: readonly DeliveryRecord[],
  now: number,
): Promise<readonly DeliverySummary[]> {
  const waitOf = await findWaits(queue, deliveries, now);
  return deliveries.map((delivery) => summaryOf(delivery, waitOf(delivery)));
}

/** One delivery, with what it waits for. `now`: milliseconds since 1970. */
export async function deliverySummary(
  queue: ListenerStates,
  delivery: DeliveryRecord,
  now: number,
): Promise<DeliverySummary> {
  const waitOf = await findWaits(queue, [delivery], now);
  return summaryOf(delivery, waitOf(delivery));
}

/**
 * `eventId`: the id of publishers and receivers; `storeEventId`: the UUID in the store; `waitsUntil`: earliest end of
 * the wait, null if no time decides it.
 */
const summaryOf = (
  {
    eventId,
    publishedId,
    dueAt,
    enqueuedAt,
    lastAttemptAt,
    lastStatus,
    lastError,
    cursor: _,
    log: __,
    ...record
  }: DeliveryRecord & Partial<ListedDelivery>,
  wait: Wait | undefined,
) => ({
  ...record,
  eventId: publishedId ?? eventId,
  storeEventId: eventId,
  enqueuedAt: isoOrNull(enqueuedAt),
  dueAt: isoOrNull(dueAt),
  waitsFor: wait?.waitsFor ?? null,
  waitsUntil: isoOrNull(wait?.until),
  lastAttemptAt: isoOrNull(lastAttemptAt),
  lastStatus: lastStatus ?? null,
  lastError: lastError ?? null,
});

export const countsSummary = ({ oldestDueAt, openBreakers: _, ...counts }: DeliveryCounts) => ({
  ...counts,
  oldestDueAt: isoOrNull(oldestDueAt),
});

export const setAsideSummary = ({ position, stream, revision, type, reason }: SetAside) => ({
  stream,
  revision: revision.toString(),
  position: position.toString(),
  type,
  reason,
});

/** An attempt as the log has it. */
export const attemptSummary = ({ startedAt, durationMs, status, error, answer, headers, address }: AttemptReport) => ({
  startedAt: isoOrNull(startedAt),
  durationMs,
  status: status ?? null,
  error: error ?? null,
  answer: answer ?? null,
  headers: headers ?? null,
  address: address ?? null,
});

/** `attempt` is null where none has been made so far. */
export const testDeliverySummary = ({ attempt, ...sent }: TestDelivery) => ({
  ...sent,
  attempt: attempt ? attemptSummary(attempt) : null,
});

/** `reason` is null where it is set aside no more. */
export const retriedSummary = (retried: Retried) => ({
  ...setAsideSummary(retried),
  ...(retried.outcome === 'set-aside'
    ? { outcome: retried.outcome, deliveries: 0 }
    : { outcome: retried.outcome, deliveries: retried.deliveries, reason: null }),
});
