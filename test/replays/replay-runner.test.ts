import { expect } from 'chai';
import { pino } from 'pino';
import { replays } from '../../projections/replays.js';
import { openSqliteDeliveryQueue } from '../../src/deliveries/sqlite/sqlite-delivery-queue.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { soleHolder } from '../../src/leases/sole-holder.js';
import { rebuild } from '../../src/read-model/rebuild.js';
import { openSqliteReadModel } from '../../src/read-model/sqlite/sqlite-read-model.js';
import { startReplayRunner } from '../../src/replays/replay-runner.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

describe('the runner of replays', () => {
  it('waits without a word while the view that it looks into is being built for the first time', async () => {
    const logged: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) });
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const queue = openSqliteDeliveryQueue({ directory });
    const opened = openSqliteReadModel({ directory });
    let looked = 0;
    const readModel: typeof opened = {
      ...opened,
      live: (projection) => {
        looked += 1;
        return opened.live(projection);
      },
    };
    const registration = async () => undefined;
    const leases = soleHolder({ log });
    const runner = startReplayRunner({
      store,
      queue,
      readModel,
      registration,
      leases,
      log,
      clock: Date.now,
      pollMs: 5,
    });
    await until(() => looked > 3, 'it to have looked');
    await rebuild({ store, readModel, projection: replays });
    const lookedBefore = looked;
    await until(() => looked > lookedBefore + 3, 'it to have looked into the view');
    expect(logged).to.deep.equal([]);
    await runner.stop();
    for (const each of [opened, queue, store]) await each.close();
  });
});
