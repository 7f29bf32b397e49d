import { Command } from 'commander';
import { listListeners } from '../../listeners/find.js';
import { listenerSummary } from '../../listeners/listener-summary.js';
import { contextOf } from '../command-context.js';
import { requiredOrganisation } from '../options.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { addListenerChangeCommands } from './changes.js';
import { addListenerTestCommand } from './test.js';

type Options = { readonly org: string };

/** `listeners list|pause|resume|rotate-secret|unsubscribe|test`: the hooks that are registered now, and decisions about them. */
export function listenerCommands(): Command {
  const listeners = new Command('listeners').description('registered hooks');
  listeners
    .command('list')
    .description(
      'lists the hooks that an organisation has registered now, from the view that a running service keeps up to date',
    )
    .addOption(requiredOrganisation())
    .action(async ({ org }: Options, command: Command) => {
      const context = contextOf(command);
      const registrations = await context.withStores((stores) =>
        pagesOf(async (after) => {
          const { listeners: items, next } = await listListeners(stores.readModel(), org, { after });
          return { items, next };
        }),
      );
      printRows(
        context.output,
        registrations.map(listenerSummary),
        {
          listener: ({ listenerId }) => listenerId,
          state: ({ state }) => state,
          type: ({ subscriptionType }) => subscriptionType,
          user: ({ userId }) => userId,
          since: ({ since }) => since,
          hook: ({ hookUrl }) => hookUrl,
        },
        `${org} has no hooks registered`,
      );
    });
  addListenerChangeCommands(listeners);
  addListenerTestCommand(listeners);
  return listeners;
}
