import { Command } from 'commander';
import { lazily } from '../lazily.js';

/**
 * `store backup`: of the embedded store, while a service has it open. `store copy`: out of it, into EventStoreDB and MongoDB.
 * `store finish-deletions`: of EventStoreDB.
 */
export function storeCommands(): Command {
  const store = new Command('store').description('the stores as a whole');
  store
    .command('backup')
    .description(
      'copies the embedded store as it is now, also while the service runs: events, deliveries and the keys that ' +
        'development mode has made, so keep the copy as safe as them; views are left out, a service makes them anew',
    )
    .requiredOption('--to <directory>', 'where the copy goes: a directory that is empty, or not there yet')
    .action(lazily(async () => (await import('./backup.js')).backup));
  store
    .command('copy')
    .description(
      'copies the embedded store of a stopped service, or a backup of it, into an empty EventStoreDB and an empty MongoDB ' +
        'database, and verifies the copy; killed at any point, the same command goes on',
    )
    .option('--from <store>', 'sqlite:DIRECTORY; without it, the data directory')
    .option('--to <url>', 'esdb://…, or EVENTSTOREDB_URL, which others on this machine cannot see')
    .option('--mongodb-url <url>', 'mongodb://…/database, or MONGODB_URL, for the same reason')
    .option('--keys-to <directory>', 'copies the keys that development mode has made there, too')
    .action(lazily(async () => (await import('./copy.js')).copy));
  store
    .command('finish-deletions')
    .description(
      'goes over all events of EventStoreDB once, and sees to it that a scavenge removes all that deleted streams held: ' +
        'for what earlier releases deleted, or what was cut short; also while the service runs',
    )
    .action(lazily(async () => (await import('./finish-deletions.js')).finishDeletions));
  return store;
}
