import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { startService } from '../processes/processes.js';
import { startSink } from './arrivals.js';

/** Starts listeners, and a service on its own embedded store, whose queue is read beside it. `callers`: of the service. */
export async function startEmbedded(connections: number, callers = connections) {
  const sink = await startSink(connections);
  const directory = temporaryDirectory();
  const service = await startService(directory, callers);
  const queue = openSqliteDeliveryQueue({ directory });
  return {
    sink,
    directory,
    service,
    queue,
    async stop() {
      await queue.close();
      await service.stop();
      await sink.stop();
    },
  };
}
