import { expect } from 'chai';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { rebuildStorm } from '../../support/views/rebuild-storm.js';

describe('rebuilding a view of a service under load, killed at random points, on the embedded store', function () {
  this.timeout(360_000);

  it('ends with the same documents as folding the history', async () => {
    const dataDirectory = temporaryDirectory();
    const store = openSqliteEventStore({ directory: dataDirectory });
    const readModel = openSqliteReadModel({ directory: dataDirectory });
    const { resumed } = await rebuildStorm({
      place: dataDirectory,
      store,
      readModel,
      startService: () => startService({ dataDirectory }),
      listeners: 4_000,
      rounds: 2,
    });
    expect(resumed, 'resumed rebuilds').to.be.greaterThan(0);
    await readModel.close();
    await store.close();
  });
});
