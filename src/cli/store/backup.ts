import { resolve } from 'node:path';
import { backUpEmbeddedStore } from '../../service/stores/back-up-embedded-store.js';
import { requireStore } from '../../service/stores/command-stores.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';

export async function backup({ to }: { to: string }, { local, output }: CommandContext): Promise<void> {
  const { cluster, dataDirectory } = local();
  if (cluster()) {
    throw new UsageError(
      'store backup is for the embedded store: EventStoreDB and MongoDB are backed up with their own tools',
    );
  }
  if (to.trim() === '') throw new UsageError('--to must name a directory');
  requireStore(dataDirectory);
  const directory = resolve(to);
  const files = await backUpEmbeddedStore(dataDirectory, directory);
  const listed = files.map(({ file, bytes }) => `${file} (${bytes} bytes)`).join(', ');
  printResult(output, { directory, files }, `backed up ${dataDirectory} to ${directory}: ${listed}`);
}
