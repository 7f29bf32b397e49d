import { Command } from 'commander';
import { restartWithBoundedMemory } from '../../kernel/bounded-memory.js';
import { lazily } from '../lazily.js';

/** `serve`: the service itself, as `npm start` starts it. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('starts the service, with the settings of the environment, and stops it on SIGTERM or SIGINT')
    .action(
      lazily(async () => {
        restartWithBoundedMemory();
        return (await import('./serve.js')).serveFromCommandLine;
      }),
    );
