import type { Logger } from 'pino';
import type { OnOpened, OpenStoresOptions, Stores, StoresAt } from './stores.js';

/**
 * The stores that are configured: EventStoreDB and MongoDB, or the embedded ones in the data directory. Only their adapters are loaded:
 * the clients of the servers occupy 30 MB for each thread.
 */
export async function openStores(
  config: StoresAt,
  log: Logger,
  onOpened: OnOpened,
  options: OpenStoresOptions = {},
): Promise<Stores> {
  if (config.cluster) {
    const { openCluster } = await import('./open-cluster.js');
    return openCluster(config.cluster, log, onOpened, options);
  }
  const { openEmbedded } = await import('./open-embedded.js');
  return openEmbedded(config.dataDirectory, log, onOpened, options);
}
