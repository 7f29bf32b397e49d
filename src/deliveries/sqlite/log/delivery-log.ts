import type { GroupCommit } from '../../../stores/sqlite/group-commit.js';
import type { DeliveryLog } from '../../queue/delivery-log.js';
import type { QueueParts } from '../queue-parts.js';
import { toListed } from './list-deliveries.js';

/**
 * Reads for operators, each in a call of its own. Those of deliveries write the buffer first; those that an open page repeats
 * often do not, since that would undo the savings of the buffer.
 */
export function deliveryLog(
  { log, writeBehind }: Pick<QueueParts, 'log' | 'writeBehind'>,
  { callWithoutSync }: Pick<GroupCommit, 'callWithoutSync'>,
): Omit<DeliveryLog, 'redeliver'> {
  const { activity, listenersInTrouble, knownEvents, list, reader, statistics } = log;
  const afterFlush = <Result>(run: () => Result): Promise<Result> =>
    callWithoutSync((onRollback) => {
      writeBehind.flush(onRollback);
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
