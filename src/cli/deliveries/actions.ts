import {
  countDeliveriesRoute,
  listDeliveriesRoute,
  redeliverDeliveriesRoute,
  redeliverDeliveryRoute,
  showDeliveryRoute,
  showStatsRoute,
} from '../../admin/api/contracts/deliveries.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { beginningOf, counted, printResult, printRows } from '../output.js';

export async function status(_: object, { output, call }: CommandContext): Promise<void> {
  printRows(
    output,
    [await call(countDeliveriesRoute)],
    {
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
    '',
  );
}

type WaitsFor = NonNullable<RouteAnswer<typeof showDeliveryRoute>['waitsFor']>;

const waitTexts: Readonly<Record<WaitsFor, string>> = {
  schedule: 'schedule',
  'retry-after': 'Retry-After',
  breaker: 'circuit breaker',
  rate: 'rate limit',
  order: 'order',
  'a worker': 'a worker',
  resume: 'resume',
  redelivery: 'redelivery',
};

type ListOptions = { org: string; limit: string };

export async function list({ limit, ...options }: ListOptions, { output, allOf }: CommandContext): Promise<void> {
  const max = wholeNumber('--limit', limit, 1, 10_000);
  printRows(
    output,
    await allOf(listDeliveriesRoute, options, max),
    {
      event: 'eventId',
      listener: 'listenerId',
      state: 'state',
      'waits for': ({ waitsFor }) => waitsFor && waitTexts[waitsFor],
      until: 'waitsUntil',
      attempts: 'attempts',
      'last attempt': 'lastAttemptAt',
      status: 'lastStatus',
      error: 'lastError',
      id: 'id',
    },
    `${options.org} has no such deliveries`,
  );
}

export async function show(id: string, options: object, { output, call }: CommandContext): Promise<void> {
  const delivery = await call(showDeliveryRoute, { ...options, id });
  if (output.json) {
    output.write(JSON.stringify(delivery));
    return;
  }
  const { log, ...summary } = delivery;
  const fields = Object.entries(summary).map(([field, value]) => ({ field, value }));
  printRows(output, fields, { field: 'field', value: 'value' }, '');
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

/** Options that select deliveries, beside the organisation. */
const selecting = ['event', 'listener', 'replay', 'type', 'from', 'to', 'state'] as const;

type RedeliverOptions = { org: string; all?: true } & {
  readonly [Name in (typeof selecting)[number]]?: string;
};

export async function redeliver(
  id: string | undefined,
  options: RedeliverOptions,
  { output, call }: CommandContext,
): Promise<void> {
  const { all, state, ...filter } = options;
  const isFiltered = selecting.some((name) => options[name] !== undefined);
  if (id !== undefined && (isFiltered || all)) throw new UsageError('a delivery ID excludes filters and --all');
  if (id === undefined && !isFiltered && !all)
    throw new UsageError('name a delivery, give a filter, or --all for all dead letters');
  const sum = { redelivered: 0, leftOut: 0 };
  const query = { ...filter, states: state === undefined ? undefined : [state], limit: 500 };
  let next: string | null = null;
  do {
    const page: RouteAnswer<typeof redeliverDeliveriesRoute> =
      id === undefined
        ? await call(redeliverDeliveriesRoute, { ...query, after: next ?? undefined })
        : await call(redeliverDeliveryRoute, { org: options.org, id }).then(() => ({ redelivered: 1, next: null }));
    sum.redelivered += page.redelivered;
    sum.leftOut += page.leftOut ?? 0;
    next = page.next;
  } while (next !== null);
  const left = counted(sum.leftOut, 'is left out: its listener is', 'are left out: their listeners are');
  const rest = sum.leftOut > 0 ? `; ${left} removed or paused` : '';
  printResult(output, sum, `${counted(sum.redelivered, 'delivery is', 'deliveries are')} due now${rest}`);
}

export async function stats(options: object, { output, call }: CommandContext): Promise<void> {
  const stats = await call(showStatsRoute, { ...options });
  if (output.json) {
    output.write(JSON.stringify(stats));
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
