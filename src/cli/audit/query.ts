import type { Command } from 'commander';
import { historyCategories } from '../../audit/history.js';
import { type FindStreams, indexedStreams, scannedStreams } from '../../audit/organisation-streams.js';
import type { NameOfPath } from '../../checked.js';
import { type CommandContext, contextOf } from '../command-context.js';
import type { Stores } from '../command-stores.js';
import { progressOf } from '../progress.js';

/** How the options of the audit are called, where they are about a field of a request. */
export const optionNamed: NameOfPath = ([field]) => `--${optionNames[String(field)] ?? String(field)}`;

const optionNames: Readonly<Record<string, string>> = {
  ...{ orgId: 'org', hookUrl: 'hook-url', listenerId: 'listener' },
};

export const fullScanOption = [
  '--full-scan',
  'read every event instead of asking a view which streams are meant: slower, needs no view, the same answer',
] as const;

/** Runs the work with a way to find streams: the index that a service keeps, or a scan that shows its progress. */
export async function withStreams<Result>(
  command: Command,
  fullScan: boolean,
  work: (stores: Stores, findStreams: FindStreams) => Promise<Result>,
): Promise<{ readonly context: CommandContext; readonly result: Result }> {
  const context = contextOf(command);
  const progress = progressOf(context.output);
  try {
    const result = await context.withStores((stores) => {
      const store = stores.events();
      if (!fullScan) return work(stores, indexedStreams(store, stores.readModel()));
      const onScanned = (position: bigint, head: bigint) =>
        progress.report('reading events', Number(position), Number(head));
      return work(stores, scannedStreams(store, historyCategories, onScanned));
    });
    return { context, result };
  } finally {
    progress.end();
  }
}
