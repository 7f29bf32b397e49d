import type { Command } from 'commander';
import { registeredAsOf } from '../../admin/audit/as-of.js';
import { asOfRequest } from '../../admin/audit/contract.js';
import type { Json } from '../../stores/event-store/event-store.js';
import { printRows } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { withStreams } from './query.js';

type Options = { readonly org: string; readonly at: string; readonly hookUrl?: string; readonly fullScan?: true };

/** `audit as-of`: the listeners at an instant. */
export async function showAsOf({ org, fullScan, ...options }: Options, command: Command): Promise<void> {
  const { at, ...query } = parseOptions(asOfRequest, { ...options, orgId: org });
  const { context, result } = await withStreams(command, fullScan === true, async (stores, find) =>
    registeredAsOf(await stores.events(), find.ofOrganisation, query, at),
  );
  printRows(
    context.output,
    result,
    {
      listener: ({ listenerId }) => text(listenerId),
      state: ({ state }) => text(state),
      type: ({ subscriptionType }) => text(subscriptionType),
      user: ({ userId }) => text(userId),
      'changed at': ({ changedAt }) => changedAt,
      'hook URL': (details) => text(details.hookUrl),
    },
    `${org} had no listeners registered`,
  );
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
