import type { Command } from 'commander';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { listListeners } from '../../listeners/queries/find.js';
import { listenerSummary } from '../../listeners/queries/listener-summary.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

/** `listeners list`: the current listeners of an organisation. */
export async function list({ org }: { readonly org: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId }, { orgId: org });
  const listeners = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { listeners: items, next } = await listListeners(readModel, orgId, { after });
      return { items, next };
    });
  });
  printRows(
    output,
    listeners.map(listenerSummary),
    {
      listener: ({ listenerId }) => listenerId,
      state: ({ state }) => state,
      type: ({ subscriptionType }) => subscriptionType,
      filter: ({ filter }) => (filter === null ? '' : JSON.stringify(filter)),
      user: ({ userId }) => userId,
      since: ({ since }) => since,
      'hook URL': ({ hookUrl }) => hookUrl,
    },
    `${orgId} has no listeners registered`,
  );
}
