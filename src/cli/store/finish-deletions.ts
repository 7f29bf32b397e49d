import type { Command } from 'commander';
import { finishDeletions as finishDeletionsIn } from '../../operations/erasure/finish-deletions.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { counted, printResult } from '../output.js';
import { progressOf } from '../progress.js';

/** `store finish-deletions`: after it, a scavenge of EventStoreDB removes all events that earlier releases deleted. */
export async function finishDeletions(_: object, command: Command): Promise<void> {
  const { cluster, output, withStores } = contextOf(command);
  if (!cluster) throw new UsageError('store finish-deletions is for EventStoreDB: the embedded store deletes at once');
  const progress = progressOf(output);
  const onScanned = (position: bigint, head: bigint) =>
    progress.report('reading events', Number(position), Number(head));
  const streams = await withStores(async (stores) => finishDeletionsIn(await stores.events(), onScanned)).finally(
    progress.end,
  );
  const sentence = `the deletion of ${counted(streams, 'stream')} was finished: scavenge EventStoreDB to remove their events from disk`;
  printResult(output, { streams }, sentence);
}
