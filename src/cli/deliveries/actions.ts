import { type Redelivered, redeliverOne, redeliverSeveral, showDelivery } from '../../deliveries/commands/redeliver.js';
import { fanOutPosition, partitionCount } from '../../deliveries/fan-out/partitions.js';
import { deliveryFilter, given, statsRequest } from '../../deliveries/queries/contract.js';
import { type AttemptStats, deliveryStats, statsDays } from '../../deliveries/queries/listener-stats.js';
import { type DeliverySearch, searchDeliveries } from '../../deliveries/queries/search-deliveries.js';
import {
  attemptSummary,
  countsSummary,
  type DeliverySummary,
  deliverySummaries,
  deliverySummary,
} from '../../deliveries/queries/summaries.js';
import type { DeliveryState } from '../../deliveries/queue/delivery.js';
import type { DeliveryQueue } from '../../deliveries/queue/delivery-queue.js';
import type { WaitsFor } from '../../deliveries/queue/waits.js';
import { canonicalUuid, opaqueId } from '../../kernel/input/texts.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { wholeNumber } from '../options.js';
import { beginningOf, counted, printResult, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { pagesOf } from '../views.js';

export async function status(_: object, { output, withStores }: CommandContext): Promise<void> {
  const summary = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    return {
      ...countsSummary(await queue.counts(Date.now())),
      fanOutPosition: (await fanOutPosition(queue))?.toString() ?? null,
      fanOutPartitions: await partitionCount(queue),
    };
  });
  printRows(
    output,
    [summary],
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

type ListOptions = { readonly org: string; readonly state?: DeliveryState; readonly limit: string };

export async function list(
  { state, limit, ...options }: ListOptions,
  { output, withStores }: CommandContext,
): Promise<void> {
  const max = wholeNumber('--limit', limit, 1, 10_000);
  const query = { ...filterOf(options), ...(state && { states: [state] }) };
  const found: DeliverySummary[] = [];
  await withStores(async (stores) => {
    const queue = await stores.deliveries();
    const search = (after: string | undefined) =>
      searchDeliveries(queue, given({ ...query, limit: Math.min(1_000, max - found.length), after }));
    for await (const { deliveries } of pagesOf(search)) {
      found.push(...(await deliverySummaries(queue, deliveries, Date.now())));
      if (found.length >= max) return;
    }
  });
  printRows(
    output,
    found,
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
    `${query.orgId} has no such deliveries`,
  );
}

export async function show(id: string, options: object, { output, withStores }: CommandContext): Promise<void> {
  const { orgId } = parseOptions({ orgId: opaqueId }, options);
  const { summary, log } = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    const { delivery, attempts } = await showDelivery(queue, orgId, canonicalUuid(id));
    return { summary: await deliverySummary(queue, delivery, Date.now()), log: attempts.map(attemptSummary) };
  });
  if (output.json) {
    output.write(JSON.stringify({ ...summary, log }));
    return;
  }
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

type RedeliverOptions = { readonly org: string; readonly state?: DeliveryState; readonly all?: true } & {
  readonly [Name in Exclude<(typeof selecting)[number], 'state'>]?: string;
};

export async function redeliver(
  id: string | undefined,
  options: RedeliverOptions,
  { output, withStores }: CommandContext,
): Promise<void> {
  const { all, state = 'exhausted' } = options;
  const query = { ...filterOf(options), states: [state], limit: 500 };
  const isFiltered = selecting.some((name) => options[name] !== undefined);
  if (id !== undefined && (isFiltered || all)) throw new UsageError('a delivery ID excludes filters and --all');
  if (id === undefined && !isFiltered && !all) {
    throw new UsageError('name a delivery, give a filter, or --all for all dead letters');
  }
  const { redelivered, leftOut } = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    if (id === undefined) return redeliverAll(queue, query);
    await redeliverOne(queue, query.orgId, canonicalUuid(id), Date.now());
    return { redelivered: 1, leftOut: 0 };
  });
  const left = counted(leftOut, 'is left out: its listener is', 'are left out: their listeners are');
  const rest = leftOut > 0 ? `; ${left} removed or paused` : '';
  printResult(
    output,
    { redelivered, leftOut },
    `${counted(redelivered, 'delivery is', 'deliveries are')} due now${rest}`,
  );
}

async function redeliverAll(
  queue: DeliveryQueue,
  query: DeliverySearch & { readonly states: readonly DeliveryState[] },
): Promise<Required<Pick<Redelivered, 'redelivered' | 'leftOut'>>> {
  const sum = { redelivered: 0, leftOut: 0 };
  for await (const step of pagesOf((after) => redeliverSeveral(queue, { ...query, ...given({ after }) }, Date.now()))) {
    sum.redelivered += step.redelivered;
    sum.leftOut += step.leftOut ?? 0;
  }
  return sum;
}

export async function stats(options: object, { output, withStores }: CommandContext): Promise<void> {
  const { orgId, listenerId, ...range } = parseOptions(statsRequest, options);
  const days = statsDays(range, Date.now());
  const query = given({ orgId, ...days, listenerId });
  const stats = await withStores(async (stores) => deliveryStats(await stores.deliveries(), query));
  if (output.json) {
    output.write(JSON.stringify({ ...days, ...stats }));
    return;
  }
  const rows = [
    ...stats.days.map(({ day, ...of }) => ({ what: day, ...of })),
    ...stats.listeners.map(({ listenerId, ...of }) => ({ what: listenerId, ...of })),
    { what: 'all', ...stats.total },
  ];
  printRows<{ readonly what: string } & AttemptStats>(
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

function filterOf(options: object): DeliverySearch {
  const { orgId, ...filter } = parseOptions({ orgId: opaqueId, ...deliveryFilter }, options);
  return { orgId, ...given(filter) };
}
