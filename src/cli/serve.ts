import { Command } from 'commander';
import { dataDirectoryOf } from './command-context.js';

/** `serve`: the service itself, as `npm start` starts it. It resolves once the service answers requests. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('starts the service, with the settings of the environment, and stops it on SIGTERM or SIGINT')
    .action(async (_options: unknown, command: Command) => {
      const { serve } = await import('../serve.js');
      await serve({ ...process.env, DATA_DIR: dataDirectoryOf(command) });
    });
}
