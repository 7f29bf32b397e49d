import type { Command } from 'commander';
import {
  type FindEventTypeStreams,
  type FindStreams,
  indexedEventTypes,
  indexedStreams,
  scannedEventTypes,
  scannedStreams,
} from '../../admin/audit/find-streams.js';
import { historyCategories } from '../../admin/audit/history.js';
import type { Stores } from '../../service/stores/command-stores.js';
import { type CommandContext, contextOf } from '../command-context.js';
import { progressOf } from '../progress.js';

export type FoundStreams = {
  readonly ofOrganisation: FindStreams;
  readonly ofEventTypes: FindEventTypeStreams;
};

/** Runs work that finds streams by the index that a service projects, or by a scan with progress. */
export async function withStreams<Result>(
  command: Command,
  fullScan: boolean,
  work: (stores: Stores, find: FoundStreams) => Promise<Result>,
): Promise<{ readonly context: CommandContext; readonly result: Result }> {
  const context = contextOf(command);
  const progress = progressOf(context.output);
  try {
    const result = await context.withStores(async (stores) => {
      const store = await stores.events();
      if (!fullScan) {
        const readModel = await stores.readModel();
        const ofOrganisation = indexedStreams(store, readModel);
        return work(stores, { ofOrganisation, ofEventTypes: indexedEventTypes(store, readModel) });
      }
      const onScanned = (position: bigint, head: bigint) =>
        progress.report('reading events', Number(position), Number(head));
      const ofOrganisation = scannedStreams(store, historyCategories, onScanned);
      return work(stores, { ofOrganisation, ofEventTypes: scannedEventTypes(store, onScanned) });
    });
    return { context, result };
  } finally {
    progress.end();
  }
}
