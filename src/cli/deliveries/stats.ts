import type { Command } from 'commander';
import { z } from 'zod';
import { type AttemptStats, deliveryStats } from '../../deliveries/operate/hook-stats.js';
import { opaqueId } from '../../kernel/opaque-id.js';
import { listenerIdParameter } from '../../kernel/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly org: string; readonly listener?: string; readonly from?: string; readonly to?: string };

const dayMs = 86_400_000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const aDay = { error: 'must be a day such as 2026-01-31' };
const asked = {
  orgId: opaqueId,
  listenerId: listenerIdParameter.optional(),
  from: z.iso.date(aDay),
  to: z.iso.date(aDay),
};

/** `deliveries stats`: the results of attempts, by hook and by day. */
export async function showStats({ org, listener, ...options }: Options, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const range = { from: dayOf(Date.now() - 29 * dayMs), to: dayOf(Date.now()), ...options };
  const { orgId, listenerId, ...days } = parseOptions(asked, { ...range, orgId: org, listenerId: listener });
  const query = { orgId, ...days, ...(listenerId !== undefined && { listenerId }) };
  const stats = await withStores(async (stores) => deliveryStats(await stores.deliveries(), query));
  if (output.json) {
    output.write(JSON.stringify({ ...days, ...stats }));
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
}
