import { Command } from 'commander';
import { finishDeletions } from '../erasure/finish-deletions.js';
import { contextOf } from './command-context.js';
import { UsageError } from './failure.js';
import { counted, printResult } from './output.js';
import { progressOf } from './progress.js';

/** `store finish-deletions`: so that a scavenge of EventStoreDB leaves nothing of what earlier releases have deleted. */
export const finishDeletionsCommand = (): Command =>
  new Command('finish-deletions')
    .description(
      'goes over all events of EventStoreDB once, and sees to it that a scavenge removes all that deleted streams held: ' +
        'for what earlier releases deleted, or what was cut short; also while the service runs',
    )
    .action(async (_options: unknown, command: Command) => {
      const { cluster, output, withStores } = contextOf(command);
      if (!cluster)
        throw new UsageError('store finish-deletions is for EventStoreDB: the embedded store keeps nothing');
      const progress = progressOf(output);
      const onScanned = (position: bigint, head: bigint) =>
        progress.report('looking through events', Number(position), Number(head));
      const streams = await withStores((stores) => finishDeletions(stores.events(), onScanned)).finally(progress.end);
      const sentence = `the deletion of ${counted(streams, 'stream')} was finished: scavenge EventStoreDB to remove what is left of them`;
      printResult(output, { streams }, sentence);
    });
