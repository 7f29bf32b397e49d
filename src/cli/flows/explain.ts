import type { Command } from 'commander';
import { registrationHistory } from '../../../projections/registration-history.js';
import { type Explained, explainFlowEvent } from '../../deliveries/explain/explain-flow-event.js';
import { explainedSummary } from '../../deliveries/explain/explained-summary.js';
import { viewCaughtUp } from '../../listeners/view-caught-up.js';
import { watch } from '../../read-model/watch.js';
import { contextOf } from '../command-context.js';
import type { Stores } from '../command-stores.js';
import { hookUrlOption, listenerOption, requiredOrganisation } from '../options.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';

type Options = { readonly org: string; readonly listener?: string; readonly hookUrl?: string };
type Asked = Options & { readonly eventId: string };

/** `flows explain`: what each hook got of a flow event, and why. */
export function addExplainCommand(flows: Command): void {
  flows
    .command('explain')
    .description('says of each hook whether it got a flow event, and why or why not, as of when the event happened')
    .argument('<event>', 'the id it was published with, or its UUID in the store')
    .addOption(requiredOrganisation())
    .addOption(listenerOption('only this registration'))
    .addOption(hookUrlOption('only this hook'))
    .action(async (eventId: string, options: Options, command: Command) => {
      const { output, withStores } = contextOf(command);
      const pages = await withStores((stores) => explain(stores, { ...options, eventId }));
      const byHookUrl = options.hookUrl !== undefined;
      const hooks = pages.flatMap((page) => explainedSummary(page, { byHookUrl }).items);
      printRows(
        output,
        hooks,
        {
          hook: ({ hookUrl }) => hookUrl,
          listener: ({ listenerId }) => listenerId,
          outcome: ({ outcome }) => outcome,
          because: ({ because }) => because,
        },
        `${options.org} never had a hook`,
      );
    });
}

/** The view is a running service's, and is waited for as long as a service would. */
async function explain(stores: Stores, { org, listener, hookUrl, eventId }: Asked): Promise<readonly Explained[]> {
  const store = stores.events();
  const readModel = stores.readModel();
  const queue = await stores.deliveries();
  const view = watch({ store, readModel, projection: registrationHistory });
  const sources = { store, readModel, queue, historyCaughtUp: viewCaughtUp(store, view.passed), clock: Date.now };
  const request = { orgId: org, eventId, listenerId: listener, hookUrl, limit: 500 };
  try {
    return await pagesOf(async (after) => {
      const page = await explainFlowEvent(sources, { ...request, after });
      return { items: [page], next: page.next };
    });
  } finally {
    await view.stop();
  }
}
