import type { Command } from 'commander';
import { listReplays, replaySummary } from '../../admin/replays/find-replays.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { contextOf } from '../command-context.js';
import { pagesOf } from '../pages.js';
import { parseOptions } from '../parse-options.js';
import { printReplays } from './text.js';

/** `replays list`: the replays of an organisation. */
export async function list({ org }: { readonly org: string }, command: Command): Promise<void> {
  const { output, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId }, { orgId: org });
  const found = await withStores(async (stores) => {
    const readModel = await stores.readModel();
    return pagesOf(async (after) => {
      const { replays: items, next } = await listReplays(readModel, { orgId, after });
      return { items, next };
    });
  });
  printReplays(output, found.map(replaySummary), `${orgId} has no replays`);
}
