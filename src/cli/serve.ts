import { serve } from '../service/serve.js';
import type { CommandContext } from './context.js';

/** Resolves once the service answers requests. */
export const serveFromCommandLine = (_: object, { local }: CommandContext): Promise<void> =>
  serve({ ...process.env, DATA_DIR: local().dataDirectory });
