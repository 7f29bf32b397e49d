import { expect } from 'chai';
import { Forbidden } from '../../src/http/errors.js';
import { listenerImport } from '../../src/listeners/import-listeners.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('an imported listener', () => {
  it('is refused in the reserved organisation', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    const importLine = listenerImport({
      store,
      perform: () => expect.fail('nothing is registered'),
      keyGeneration: 'g1',
      subscriptionTypes: undefined,
      checkTarget: async () => undefined,
    });
    const hookUrl = 'https://hooks.example.com/a';
    const line = { orgId: 'flow-hooks.operations', userId: 'ada', hookUrl, subscriptionType: 'delivery.*' };
    expect(await rejection(importLine(line))).to.be.instanceOf(Forbidden);
    await store.close();
  });
});
