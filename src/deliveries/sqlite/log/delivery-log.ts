import type { GroupCommit, OnRollback } from '../../../stores/sqlite/group-commit.js';
import type { DeliveryLog } from '../../queue/delivery-log.js';
import type { QueueParts } from '../queue-parts.js';
import { toListed } from './list-deliveries.js';

/**
 * What operators read, each in a call of its own. What reads deliveries writes the buffer first; what a page that stays open
 * reads often does not, so that it does not undo what the buffer saves.
 */
export function deliveryLog(
  { activity, bufferWriter, listenersInTrouble, knownEvents, list, reader, statistics }: QueueParts,
  { callWithoutSync }: Pick<GroupCommit, 'callWithoutSync'>,
): Omit<DeliveryLog, 'redeliver'> {
  const afterFlush = <Result>(run: () => Result): Promise<Result> =>
    callWithoutSync((onRollback: OnRollback) => {
      bufferWriter.flush(onRollback);
      return run();
    });

  return {
    counts: (queueNow) => afterFlush(() => reader.counts(queueNow)),
    list: (query) => afterFlush(() => list(query).map(toListed)),
    attempts: (orgId, deliveryId) => afterFlush(() => reader.attempts(orgId, deliveryId)),
    stats: (query) => callWithoutSync(() => statistics.read(query)),
    activity: (query) => callWithoutSync(() => activity.read(query)),
    listenerStates: (listenerIds) => callWithoutSync(() => reader.listenerStates(listenerIds)),
    listenersInTrouble: (query) => callWithoutSync(() => listenersInTrouble(query)),
    openBreakers: () => callWithoutSync(() => reader.openBreakers()),
    body: (orgId, eventId) => afterFlush(() => knownEvents.body(orgId, eventId)),
    knownEvent: (orgId, eventId) => afterFlush(() => knownEvents.find(orgId, eventId)),
    latestEvents: (query) => callWithoutSync(() => knownEvents.latest(query)),
    knownEvents: (query) => afterFlush(() => knownEvents.list(query)),
  };
}
