import {
  countDeliveriesRoute,
  listDeliveriesRoute,
  redeliverDeliveriesRoute,
  showDeliveryRoute,
  showStatsRoute,
} from '../../admin/api/contracts/deliveries.js';
import { listSetAsideRoute, retrySetAsideRoute } from '../../admin/api/contracts/set-aside.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { maxPosition, parsePosition } from '../../kernel/input/parse-input.js';
import { UsageError } from '../failure.js';
import { beginningOf, type Output, printFields, printRows } from '../output.js';
import type { Subject } from '../route-command.js';

const selecting = {
  eventId: 'only of this flow event: the id it was published with, or its UUID in the store',
  listenerId: 'only to this listener',
  replay: 'only of this replay',
  type: 'only of flow events of this type; flow.* for all below it',
  from: 'only deliveries enqueued at this time or later: ISO 8601 with an offset',
  to: 'only deliveries enqueued at this time or before',
};

/** Words of waits that differ from those of the route. */
const waitTexts: Partial<Record<string, string>> = {
  'retry-after': 'Retry-After',
  breaker: 'circuit breaker',
  rate: 'rate limit',
};

export function addCommands({ add }: Subject): void {
  add('status', countDeliveriesRoute, {
    about: 'counts deliveries by state, and events that could not be decoded (set aside)',
    columns: {
      waiting: 'waiting',
      held: 'held',
      succeeded: 'succeeded',
      exhausted: 'exhausted',
      cancelled: 'cancelled',
      'set aside': 'setAside',
      'oldest due': 'oldestDueAt',
      'fanned out up to': 'fanOutPosition',
      partitions: 'fanOutPartitions',
    },
  });
  add('list', listDeliveriesRoute, {
    about: 'lists deliveries of an organisation, latest flow events first',
    texts: { ...selecting, state: 'only deliveries in this state; exhausted ones are the dead letters' },
    limit: 100,
    columns: {
      event: 'eventId',
      listener: 'listenerId',
      state: 'state',
      'waits for': ({ waitsFor }) => waitsFor && (waitTexts[waitsFor] ?? waitsFor),
      until: 'waitsUntil',
      attempts: 'attempts',
      'last attempt': 'lastAttemptAt',
      status: 'lastStatus',
      error: 'lastError',
      id: 'id',
    },
    none: ({ orgId }) => `${orgId} has no such deliveries`,
  });
  add('show', showDeliveryRoute, {
    about: 'shows a delivery and the latest attempts at it',
    args: { id: 'delivery' },
    prints: printDelivery,
  });
  add('redeliver', redeliverDeliveriesRoute, {
    about: 'delivers again now, in any state: one delivery by its ID, or dead letters by a filter',
    args: { ids: 'delivery' },
    texts: { ...selecting, ids: 'the ID of a delivery', states: 'deliveries in this state instead of dead letters' },
    flags: { '--all': 'all dead letters of the organisation' },
    runs: async (given, context) => (await import('../deliveries/redeliver.js')).redeliver(given, context),
  });
  add('stats', showStatsRoute, {
    about: 'counts attempts of an organisation by listener and by day (UTC), by default of the 30 days until --to',
    texts: { listenerId: 'only to this listener', from: 'first day', to: 'last day; by default today' },
    prints: printStats,
  });
  add('set-aside', listSetAsideRoute, {
    about: 'lists events that could not be decoded and so were not delivered, in order',
    columns: { stream: 'stream', revision: 'revision', type: 'type', reason: 'reason' },
    none: 'nothing is set aside',
  });
  add('retry-set-aside', retrySetAsideRoute, {
    about: 'decodes events that were set aside again, and delivers them to the listeners registered at their time',
    texts: { stream: 'only the event of this stream, at --revision', revision: 'its revision' },
    send(given) {
      const { stream, revision } = given;
      if ((stream === undefined) !== (revision === undefined))
        throw new UsageError('--stream and --revision go together');
      if (revision !== undefined && parsePosition(`${revision}`) === undefined)
        throw new UsageError(`--revision must be a whole number from 0 to ${maxPosition}`);
      return given;
    },
    columns: { stream: 'stream', revision: 'revision', outcome: 'outcome', deliveries: 'deliveries', reason: 'reason' },
    none: 'nothing is set aside',
  });
}

function printDelivery(delivery: RouteAnswer<typeof showDeliveryRoute>, output: Output): void {
  const { log, ...summary } = delivery;
  printFields(output, output.json ? delivery : summary);
  if (output.json) return;
  output.write('');
  printRows(
    output,
    log,
    {
      attempt: 'startedAt',
      took: ({ durationMs }) => `${durationMs} ms`,
      status: 'status',
      error: 'error',
      address: 'address',
      answer: ({ answer }) => answer && beginningOf(answer, 80),
    },
    'no attempt has been made',
  );
}

function printStats(stats: RouteAnswer<typeof showStatsRoute>, output: Output): void {
  if (output.json) {
    printFields(output, stats);
    return;
  }
  const rows = [
    ...stats.days.map(({ day, ...of }) => ({ what: day, ...of })),
    ...stats.listeners.map(({ listenerId, ...of }) => ({ what: listenerId, ...of })),
    { what: 'all', ...stats.total },
  ];
  printRows(
    output,
    rows,
    {
      'day, listener': 'what',
      attempts: 'attempts',
      succeeded: 'succeeded',
      failed: 'failed',
      'given up': 'exhausted',
      'on average': ({ durationMs }) => (durationMs === null ? '' : `${durationMs} ms`),
    },
    '',
  );
}
