import type { Command } from 'commander';
import { showDelivery } from '../../deliveries/commands/redeliver.js';
import { attemptSummary, deliverySummary } from '../../deliveries/queries/summaries.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { beginningOf, printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';

/** `deliveries show`: a delivery and the latest attempts at it. */
export async function showOne(id: string, { org }: { readonly org: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId }, { orgId: org });
  const { summary, attempts } = await withStores(async (stores) => {
    const queue = await stores.deliveries();
    const { delivery, attempts } = await showDelivery(queue, orgId, canonicalUuid(id));
    return { summary: await deliverySummary(queue, delivery, Date.now()), attempts };
  });
  if (output.json) {
    output.write(JSON.stringify({ ...summary, log: attempts.map(attemptSummary) }));
    return;
  }
  const fields = Object.entries(summary).map(([field, value]) => ({ field, value }));
  printRows(output, fields, { field: ({ field }) => field, value: ({ value }) => value }, '');
  output.write('');
  printRows(
    output,
    attempts.map(attemptSummary),
    {
      attempt: ({ startedAt }) => startedAt,
      took: ({ durationMs }) => `${durationMs} ms`,
      status: ({ status }) => status,
      error: ({ error }) => error,
      address: ({ address }) => address,
      answer: ({ answer }) => answer && beginningOf(answer, 80),
    },
    'no attempt has been made',
  );
}
