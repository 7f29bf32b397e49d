import { checkpointsOf, type FanOutBatch } from '../../fan-out-batch.js';
import { healthy, isUnrestrained } from '../../policy/listener-health.js';
import { type Facts, type FactsOfListener, messageName, type StoredQueue } from '../../stored-queue.js';
import type { Checkpoints } from '../checkpoints.js';
import { type ListenerRow, type MessageRow, messageKey } from '../collections.js';
import type { StoredGates } from '../listeners/gates.js';
import { openReadListeners } from '../listeners/read-listeners.js';
import type { Shared } from '../shared.js';

type Parts = {
  checkpoints: Pick<Checkpoints, 'require'>;
  gates: Pick<StoredGates, 'provePrimary'>;
};

/** Reads for `FirstAttempts`. Gates that are seen as open were open at the moment `seenAt`. */
export function openFacts(
  shared: Shared,
  { checkpoints, gates }: Parts,
): Required<Pick<StoredQueue, 'facts' | 'restrained'>> {
  const { collections, nextRowDue, underWay, calm, partitions } = shared;
  const { messages } = collections;
  const listenersOf = openReadListeners(shared).known;
  let latestNow = Number.NEGATIVE_INFINITY;

  async function namesOf(batch: FanOutBatch): Promise<ReadonlySet<string>> {
    const rows = messages
      .find({ _id: { $in: batch.messages.map(messageKey) } })
      .project<Pick<MessageRow, 'orgId' | 'eventId'>>({ orgId: 1, eventId: 1 });
    return new Set((await rows.toArray()).map(messageName));
  }

  /** Undefined if the batch changes it; where an instance without partitions wrote it, a batch adds its partition. */
  function factsOf(row: ListenerRow | undefined, position: bigint): FactsOfListener | undefined {
    if (!row || row.position < position || (row.partition === undefined && partitions !== undefined)) return undefined;
    const { _id: listenerId, orgId, hookUrl, subscription, secret, nextDue } = row;
    if (orgId === undefined || hookUrl === undefined || !subscription || !secret) return undefined;
    const isNoneDue =
      nextDue === undefined || nextDue.getTime() > latestNow || underWay.isFullyUnderWay(row, latestNow);
    const hasRows = nextDue !== undefined || underWay.ofListener(listenerId).length > 0;
    const isReady = isFree(row) && (subscription.ordered ? !hasRows : isNoneDue);
    return { listenerId, orgId, hookUrl, subscription, secret, isReady };
  }

  return {
    async facts(batch, queueNow): Promise<Facts | undefined> {
      latestNow = Math.max(latestNow, queueNow);
      const moved = checkpointsOf(batch);
      await checkpoints.require(moved);
      calm.use(moved.flatMap(({ lease }) => lease ?? []));
      const seenAt = await gates.provePrimary({ shared: true });
      const [rows, known] = await Promise.all([
        listenersOf(batch.listeners.map(({ listenerId }) => listenerId)),
        namesOf(batch),
      ]);
      const found = new Map<string, FactsOfListener>();
      for (const { listenerId, position } of batch.listeners) {
        const facts = factsOf(rows.get(listenerId), position);
        if (!facts) return undefined;
        found.set(listenerId, facts);
      }
      // Rows that are due now are leased in a step of their own.
      const firstDue = Math.max(nextRowDue.at ?? Number.POSITIVE_INFINITY, queueNow + 1);
      return { listeners: found, known, firstDue, seenAt };
    },

    async restrained(listeners) {
      const seenAt = await gates.provePrimary({ shared: true });
      const rows = await listenersOf(listeners.map(({ listenerId }) => listenerId));
      const closed = listeners.flatMap(({ listenerId, subscription: { ordered } }) => {
        const row = rows.get(listenerId);
        return isFree(row) && row.subscription?.ordered === ordered ? [] : listenerId;
      });
      return { closed: new Set(closed), seenAt };
    },
  };
}

/** Nothing restrains its deliveries: neither gate, pause, rate nor health. */
function isFree(listener: ListenerRow | undefined): listener is ListenerRow {
  if (!listener) return false;
  const { closed, paused, subscription, health = healthy } = listener;
  if (closed || paused || !subscription) return false;
  return isUnrestrained(health, subscription.ratePerSecond ?? undefined);
}
