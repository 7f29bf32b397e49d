import { expect } from 'chai';
import { Forbidden } from '../../src/http/errors.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { listenerImport } from '../../src/listeners/commands/import-listeners.js';
import { ensureDefaultTask } from '../../src/listeners/integration-task.js';
import { handle } from '../../src/stores/event-store/handle.js';
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
  it('has null for unset fields, and is refused where the name of a field differs in case', async () => {
    const store = openSqliteEventStore({ directory: temporaryDirectory() });
    await ensureDefaultTask(store);
    const importLine = listenerImport({
      store,
      perform: (stream, decider, decide) =>
        handle(store, stream, decider, decide, { cause: { actor: 'test', correlationId: 'test' }, now: new Date() }),
      keyGeneration: 'g1',
      subscriptionTypes: undefined,
      checkTarget: async () => undefined,
    });
    const line = { orgId: 'acme', userId: 'ada', hookUrl: 'https://hooks.example.com/a', subscriptionType: '*' };
    for (const [wrong, right] of [
      ['Filter', 'filter'],
      ['orgid', 'orgId'],
      ['RegisteredAt', 'registeredAt'],
    ])
      expect(await rejection(importLine({ ...line, [wrong ?? '']: {} })))
        .to.be.instanceOf(InvalidRequest)
        .with.property('message', `${wrong}: the name is ${right}`);
    const { isNew } = await importLine({ ...line, ordered: null, filter: null, registeredAt: null });
    expect(isNew).to.equal(true);
    await store.close();
  });
});
