import type { Command } from 'commander';
import { type Redelivered, redeliverOne, redeliverSeveral } from '../../deliveries/commands/redeliver.js';
import type { DeliveryState } from '../../deliveries/queue/delivery.js';
import { canonicalUuid } from '../../kernel/input/uuid-parameter.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import { type FilterOptions, filterOf } from './filter.js';

type Options = FilterOptions & { readonly state?: DeliveryState; readonly all?: true };

const filterOptions = ['event', 'listener', 'replay', 'type', 'from', 'to', 'state'] as const;

/** `deliveries redeliver`: redelivers one delivery by its ID, or those that a filter selects. */
export async function redeliver(
  id: string | undefined,
  { all, state = 'exhausted', ...filter }: Options,
  command: Command,
): Promise<void> {
  const { output, withStores } = contextOf(command);
  const query = { ...filterOf(filter), states: [state], limit: 500 };
  const isFiltered = filterOptions.some((name) => command.opts<Options>()[name] !== undefined);
  if (id !== undefined && (isFiltered || all)) throw new UsageError('a delivery ID excludes filters and --all');
  if (id === undefined && !isFiltered && !all) {
    throw new UsageError('name a delivery, give a filter, or --all for all dead letters');
  }
  const { redelivered, leftOut = 0 } = await withStores(
    async (stores): Promise<Pick<Redelivered, 'redelivered' | 'leftOut'>> => {
      const queue = await stores.deliveries();
      if (id !== undefined) {
        await redeliverOne(queue, query.orgId, canonicalUuid(id), Date.now());
        return { redelivered: 1 };
      }
      const sum = { redelivered: 0, leftOut: 0 };
      for (let after: string | undefined; ; ) {
        const step = await redeliverSeveral(queue, { ...query, ...(after !== undefined && { after }) }, Date.now());
        sum.redelivered += step.redelivered;
        sum.leftOut += step.leftOut ?? 0;
        after = step.next;
        if (after === undefined) return sum;
      }
    },
  );
  const left = counted(leftOut, 'is left out: its listener is', 'are left out: their listeners are');
  const rest = leftOut > 0 ? `; ${left} removed or paused` : '';
  printResult(
    output,
    { redelivered, leftOut },
    `${counted(redelivered, 'delivery is', 'deliveries are')} due now${rest}`,
  );
}
