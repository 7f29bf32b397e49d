import { redeliverDeliveriesRoute, redeliverDeliveryRoute } from '../../admin/api/contracts/deliveries.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import type { Given } from '../route-command.js';

/** Redelivers one delivery, or all that a filter selects, page by page. Throws `UsageError`. */
export async function redeliver(given: Given, { output, call }: CommandContext): Promise<void> {
  const { ids: id, orgId, all, ...filter } = given;
  const isFiltered = Object.keys(filter).length > 0;
  if (id !== undefined && (isFiltered || all)) throw new UsageError('a delivery ID excludes filters and --all');
  if (id === undefined && !isFiltered && !all)
    throw new UsageError('name a delivery, give a filter, or --all for all dead letters');
  const sum = { redelivered: 0, leftOut: 0 };
  let next: string | null = null;
  do {
    const page: RouteAnswer<typeof redeliverDeliveriesRoute> =
      id === undefined
        ? await call(redeliverDeliveriesRoute, { ...filter, orgId, limit: 500, after: next ?? undefined })
        : await call(redeliverDeliveryRoute, { orgId, id }).then(() => ({ redelivered: 1, next: null }));
    sum.redelivered += page.redelivered;
    sum.leftOut += page.leftOut ?? 0;
    next = page.next;
  } while (next !== null);
  const left = counted(sum.leftOut, 'is left out: its listener is', 'are left out: their listeners are');
  const rest = sum.leftOut > 0 ? `; ${left} removed or paused` : '';
  printResult(output, sum, `${counted(sum.redelivered, 'delivery is', 'deliveries are')} due now${rest}`);
}
