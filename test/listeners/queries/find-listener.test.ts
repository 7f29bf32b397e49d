import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import { listenerCodec } from '../../../src/events/listener-events.js';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { ListenerNotFound } from '../../../src/listeners/listener.js';
import { findListener } from '../../../src/listeners/queries/find-listener.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build, ReadModel } from '../../../src/views/read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { applyEvents } from '../../support/views/project-events.js';
import { details, firstId, nextId, subscribed, unsubscribed } from '../fixtures.js';

describe('finding a listener by its ID', () => {
  const { orgId, hookUrl } = details;
  const history = [subscribed(), unsubscribed({ since: 0 })];
  let store: EventStore;
  let readModel: ReadModel;
  let build: Build;

  beforeEach(async () => {
    const directory = temporaryDirectory();
    store = openSqliteEventStore({ directory });
    const cause = { actor: 'test', correlationId: 'test' };
    await store.append('listener-1', [listenerCodec.encode(subscribed(), cause, new Date())]);
    readModel = openSqliteReadModel({ directory });
    const name = buildName(listenersView, '1');
    build = await readModel.open(listenersView, name);
    await readModel.flip(listenersView, build.name);
  });
  afterEach(async () => {
    await build.close();
    await readModel.close();
    await store.close();
  });

  const project = () => applyEvents(build, listenersView, recordedListenerEvents(history));

  it('finds the listener of an ended listener too', async () => {
    await project();
    const find = findListener({ store, readModel, viewPassed: () => Promise.reject(new Error('not needed')) });
    expect(await find(firstId)).to.include({ orgId, hookUrl });
  });

  it('waits for a view that is behind', async () => {
    const find = findListener({ store, readModel, viewPassed: project });
    expect(await find(firstId)).to.include({ orgId, hookUrl });
  });

  it('throws ListenerNotFound for an ID that never existed', async () => {
    const find = findListener({ store, readModel, viewPassed: project });
    expect(await rejection(find(nextId))).to.be.instanceOf(ListenerNotFound);
  });

  it('rejects with the reason if the view cannot catch up', async () => {
    const find = findListener({ store, readModel, viewPassed: () => Promise.reject(new StoreUnavailable('stopped')) });
    expect(await rejection(find(firstId))).to.be.instanceOf(StoreUnavailable);
  });
});
