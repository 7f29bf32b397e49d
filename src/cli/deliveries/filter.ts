import type { Command } from 'commander';
import { z } from 'zod';
import { checked, type NameOfPath } from '../../checked.js';
import { deliveryFilter, given } from '../../deliveries/contract.js';
import type { DeliverySearch } from '../../deliveries/search-deliveries.js';
import { requiredOrganisation } from '../options.js';

export type FilterOptions = {
  readonly org: string;
  readonly event?: string;
  readonly listener?: string;
  readonly replay?: string;
  readonly type?: string;
  readonly from?: string;
  readonly to?: string;
};

/** Options that say which deliveries of an organisation are meant. */
export const withFilter = (command: Command): Command =>
  command
    .addOption(requiredOrganisation())
    .option('--event <id>', 'only of this flow event: the id it was published with, or its UUID in the store')
    .option('--listener <id>', 'only to this registration')
    .option('--replay <id>', 'only of this replay')
    .option('--type <type>', 'only of flow events of this type; flow.* for all below it')
    .option('--from <time>', 'only those enqueued then or later: ISO 8601 with its offset')
    .option('--to <time>', 'only those enqueued then or before');

/** Throws `InvalidRequest`, which names the option. */
export function filterOf({ org, event, listener, ...options }: FilterOptions): DeliverySearch {
  const asked = { ...options, eventId: event, listenerId: listener };
  return { orgId: org, ...given(checked(z.object(deliveryFilter), asked, optionNamed)) };
}

const optionNamed: NameOfPath = ([field]) => `--${String(field).replace(/Id$/, '')}`;
