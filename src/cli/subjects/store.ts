import type { Subject } from '../route-command.js';

export function addCommands({ addByHand }: Subject): void {
  addByHand(
    'backup',
    'copies the embedded store as it is now, also while the service runs: events, deliveries and the keys that ' +
      'development mode generated, so keep the copy as safe as the keys; views are left out, a service rebuilds them',
    () => import('../store/backup.js'),
    'backup',
  ).requiredOption('--to <directory>', 'the target: a directory that is empty or does not exist');
  addByHand(
    'copy',
    'copies the embedded store of a stopped service, or a backup of it, into an empty EventStoreDB and an empty MongoDB ' +
      'database, and verifies the copy; killed at any point, the same command continues',
    () => import('../store/copy.js'),
    'copy',
  )
    .option('--from <store>', 'sqlite:DIRECTORY; without it, the data directory')
    .option('--to <url>', 'esdb://…, or EVENTSTOREDB_URL, which other users of this machine cannot see')
    .option('--mongodb-url <url>', 'mongodb://…/database, or MONGODB_URL, for the same reason')
    .option('--keys-to <directory>', 'also copies the keys that development mode generated to this directory');
}
