import type { Command } from 'commander';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { listListeners } from '../../registrations/listeners/queries/find.js';
import { listenerSummary } from '../../registrations/listeners/queries/listener-summary.js';
import { contextOf } from '../command-context.js';
import { printRows } from '../output.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';

/** `listeners list`: the current registrations of an organisation. */
export async function list({ org }: { readonly org: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId }, { orgId: org });
  const registrations = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { listeners: items, next } = await listListeners(readModel, orgId, { after });
      return { items, next };
    });
  });
  printRows(
    output,
    registrations.map(listenerSummary),
    {
      listener: ({ listenerId }) => listenerId,
      state: ({ state }) => state,
      type: ({ subscriptionType }) => subscriptionType,
      filter: ({ filter }) => (filter === null ? '' : JSON.stringify(filter)),
      user: ({ userId }) => userId,
      since: ({ since }) => since,
      hook: ({ hookUrl }) => hookUrl,
    },
    `${orgId} has no hooks registered`,
  );
}
