import type { Command } from 'commander';
import { serviceHistoryRequest } from '../../operations/audit/contract.js';
import { serviceHistory } from '../../operations/audit/history.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { changeOf } from './history.js';

/** `audit service`: every change to the service as a whole, from the events. */
export async function showServiceHistory(
  options: { readonly from?: string; readonly to?: string },
  command: Command,
): Promise<void> {
  const { output, withStores } = contextOf(command);
  const query = parseOptions(serviceHistoryRequest, options);
  const entries = await withStores(async (stores) => serviceHistory(await stores.events(), query));
  printRows(
    output,
    entries,
    {
      at: ({ at }) => at,
      what: ({ type }) => type,
      by: ({ actor }) => actor,
      change: changeOf,
      'caused by': ({ causationId, correlationId }) => causationId ?? correlationId,
    },
    'nothing has happened to the service',
  );
}
