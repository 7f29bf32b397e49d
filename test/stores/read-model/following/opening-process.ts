import { openSqliteReadModel } from '../../../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { counters } from '../counters.js';

/** Opens the read model of a directory when its parent says so, sends the live build of `counters`, and ends. */
const [directory = ''] = process.argv.slice(2);
process.once('message', async () => {
  const readModel = openSqliteReadModel({ directory });
  process.send?.({ live: (await readModel.live(counters())) ?? null });
  await readModel.close();
  process.disconnect();
});
process.send?.('ready');
