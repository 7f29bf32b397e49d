import type { Command } from 'commander';
import { z } from 'zod';
import { checked } from '../../checked.js';
import { type AttemptStats, deliveryStats } from '../../deliveries/hook-stats.js';
import { contextOf } from '../command-context.js';
import { listenerOption, requiredOrganisation } from '../options.js';
import { printRows } from '../output.js';

type Options = { readonly org: string; readonly listener?: string; readonly from?: string; readonly to?: string };

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const aDay = { error: 'must be a day such as 2026-01-31' };
const days = z.object({ from: z.iso.date(aDay), to: z.iso.date(aDay) });

/** `deliveries stats`: what came of attempts, by hook and by day. */
export function addStatsCommand(deliveries: Command): void {
  deliveries
    .command('stats')
    .description('counts attempts of an organisation by hook and by day (UTC), of the last 30 days')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only to this registration'))
    .option('--from <day>', 'from this day on')
    .option('--to <day>', 'up to and with this day')
    .action(async ({ org, listener, ...options }: Options, command: Command) => {
      const { output, withStores } = contextOf(command);
      const range = { from: dayOf(Date.now() - 29 * dayMs), to: dayOf(Date.now()), ...options };
      const asked = checked(days, range, ([field]) => `--${String(field)}`);
      const query = { orgId: org, ...asked, ...(listener !== undefined && { listenerId: listener }) };
      const stats = await withStores(async (stores) => deliveryStats(await stores.deliveries(), query));
      if (output.json) {
        output.write(JSON.stringify({ ...asked, ...stats }));
        return;
      }
      const rows = [
        ...stats.days.map(({ day, ...of }) => ({ what: day, ...of })),
        ...stats.hooks.map(({ listenerId, ...of }) => ({ what: listenerId, ...of })),
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
    });
}
