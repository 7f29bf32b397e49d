import { resolve } from 'node:path';
import { Command } from 'commander';
import { backUp } from '../../data-directory/back-up.js';
import { contextOf } from '../command-context.js';
import { requireStore } from '../command-stores.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { copyCommand } from './copy.js';

type BackupOptions = { readonly to: string };

/** `store backup`: of the embedded store, while a service has it open. `store copy`: out of it, into EventStoreDB and MongoDB. */
export function storeCommands(): Command {
  const store = new Command('store').description('the stores as a whole');
  store
    .command('backup')
    .description(
      'copies the embedded store as it is now, also while the service runs: events, deliveries and the keys that ' +
        'development mode has made, so keep the copy as safe as them; views are left out, a service makes them anew',
    )
    .requiredOption('--to <directory>', 'where the copy goes: a directory that is empty, or not there yet')
    .action(async ({ to }: BackupOptions, command: Command) => {
      const { cluster, dataDirectory, output } = contextOf(command);
      if (cluster) {
        throw new UsageError(
          'store backup is for the embedded store: EventStoreDB and MongoDB are backed up with their own tools',
        );
      }
      if (to.trim() === '') throw new UsageError('--to must name a directory');
      requireStore(dataDirectory);
      const directory = resolve(to);
      const files = await backUp(dataDirectory, directory);
      const listed = files.map(({ file, bytes }) => `${file} (${bytes} bytes)`).join(', ');
      printResult(output, { directory, files }, `backed up ${dataDirectory} to ${directory}: ${listed}`);
    });
  return store.addCommand(copyCommand());
}
