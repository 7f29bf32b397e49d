import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { temporaryDirectory } from '../../test/support/temporary-directory.js';
import { startService } from '../processes/processes.js';
import { startSink } from './arrivals.js';

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
