import type { Command } from 'commander';
import { serve } from '../../service/serve.js';
import { dataDirectoryOf } from '../command-context.js';

/** `serve`: resolves once the service answers requests. */
export const serveFromCommandLine = (_: object, command: Command): Promise<void> =>
  serve({ ...process.env, DATA_DIR: dataDirectoryOf(command) });
