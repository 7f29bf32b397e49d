import type { Command } from 'commander';
import { countsSummary } from '../../deliveries/queries/summaries.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';

/** `deliveries status`: number of deliveries in each state. */
export async function showStatus(_: object, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const counts = await withStores(async (stores) => (await stores.deliveries()).counts(Date.now()));
  printRows(
    output,
    [countsSummary(counts)],
    {
      waiting: ({ waiting }) => waiting,
      held: ({ held }) => held,
      succeeded: ({ succeeded }) => succeeded,
      exhausted: ({ exhausted }) => exhausted,
      cancelled: ({ cancelled }) => cancelled,
      'set aside': ({ setAside }) => setAside,
      'oldest due': ({ oldestDueAt }) => oldestDueAt,
    },
    '',
  );
}
