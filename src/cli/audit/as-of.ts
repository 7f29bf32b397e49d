import { Command } from 'commander';
import { z } from 'zod';
import { registeredAsOf } from '../../audit/as-of.js';
import { asOfRequest } from '../../audit/contract.js';
import { checked } from '../../checked.js';
import type { Json } from '../../event-store/event-store.js';
import { hookUrlOption, requiredOrganisation } from '../options.js';
import { printRows } from '../output.js';
import { fullScanOption, optionNamed, withStreams } from './query.js';

type Options = { readonly org: string; readonly at: string; readonly hookUrl?: string; readonly fullScan?: true };

/** `audit as-of`: what was registered at an instant. */
export const asOfCommand = (): Command =>
  new Command('as-of')
    .description('what an organisation had registered at an instant, be it active or paused, read from the events')
    .requiredOption(
      '--at <time|position>',
      'ISO 8601 with its offset: what had been recorded by then; or the position of an event of this store',
    )
    .addOption(requiredOrganisation())
    .addOption(hookUrlOption('only this hook'))
    .option(...fullScanOption)
    .action(async ({ org, fullScan, ...options }: Options, command: Command) => {
      const { at, ...query } = checked(z.object(asOfRequest), { ...options, orgId: org }, optionNamed);
      const { context, result } = await withStreams(command, fullScan === true, (stores, findStreams) =>
        registeredAsOf(stores.events(), findStreams, query, at),
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
          hook: (registration) => text(registration.hookUrl),
        },
        `${org} had no hooks registered`,
      );
    });

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
