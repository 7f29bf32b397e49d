import type { Config } from './config/config.js';

export type DispatcherSettings = Pick<
  Config,
  'mode' | 'dataDirectory' | 'cluster' | 'logLevel' | 'deliveries' | 'flows' | 'tokens'
> & { keys: Pick<Config['keys'], 'masterKeys'> };

export const dispatcherSettings = (config: Config): DispatcherSettings => {
  const { mode, dataDirectory, cluster, logLevel, deliveries, flows, tokens } = config;
  const keys = { masterKeys: config.keys.masterKeys };
  return { mode, dataDirectory, cluster, logLevel, deliveries, flows, tokens, keys };
};
