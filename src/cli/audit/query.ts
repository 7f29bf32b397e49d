import type { Command } from 'commander';
import { historyCategories } from '../../operations/audit/history.js';
import { type FindStreams, indexedStreams, scannedStreams } from '../../operations/audit/organisation-streams.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { type CommandContext, contextOf } from '../command-context.js';
import { progressOf } from '../progress.js';

/** Runs work that finds streams by the index that a service projects, or by a scan with progress. */
export async function withStreams<Result>(
  command: Command,
  fullScan: boolean,
  work: (stores: Stores, findStreams: FindStreams) => Promise<Result>,
): Promise<{ readonly context: CommandContext; readonly result: Result }> {
  const context = contextOf(command);
  const progress = progressOf(context.output);
  try {
    const result = await context.withStores(async (stores) => {
      const store = await stores.events();
      if (!fullScan) return work(stores, indexedStreams(store, await stores.readModel()));
      const onScanned = (position: bigint, head: bigint) =>
        progress.report('reading events', Number(position), Number(head));
      return work(stores, scannedStreams(store, historyCategories, onScanned));
    });
    return { context, result };
  } finally {
    progress.end();
  }
}
