import { Command } from 'commander';
import { lazily } from '../lazily.js';

/** `serve`: the service itself, as `npm start` starts it. */
export const serveCommand = (): Command =>
  new Command('serve')
    .description('starts the service, with the settings of the environment, and stops it on SIGTERM or SIGINT')
    .action(lazily(async () => (await import('./serve.js')).serveFromCommandLine));
