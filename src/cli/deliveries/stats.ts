import type { Command } from 'commander';
import { statsRequest } from '../../deliveries/queries/contract.js';
import { type AttemptStats, deliveryStats, statsDays } from '../../deliveries/queries/listener-stats.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly org: string; readonly listener?: string; readonly from?: string; readonly to?: string };

/** `deliveries stats`: the results of attempts, by listener and by day. */
export async function showStats({ org, listener, ...options }: Options, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId, listenerId, ...asked } = parseOptions(statsRequest, { ...options, orgId: org, listenerId: listener });
  const days = statsDays(asked, Date.now());
  const query = { orgId, ...days, ...(listenerId !== undefined && { listenerId }) };
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
      'day, listener': ({ what }) => what,
      attempts: ({ attempts }) => attempts,
      succeeded: ({ succeeded }) => succeeded,
      failed: ({ failed }) => failed,
      'given up': ({ exhausted }) => exhausted,
      'on average': ({ durationMs }) => (durationMs === null ? '' : `${durationMs} ms`),
    },
    '',
  );
}
