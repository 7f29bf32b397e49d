import { expect } from 'chai';
import { closingAll } from '../../../src/kernel/closing.js';
import { commandStores } from '../../../src/service/stores/command-stores.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('the stores of a command', () => {
  it('are all closed if closing one of them fails, and the failure is thrown', async () => {
    const dataDirectory = temporaryDirectory();
    await openSqliteEventStore({ directory: dataDirectory }).close();
    const closed: string[] = [];
    const failure = await rejection(
      closingAll(async (onOpened) => {
        const stores = commandStores({ cluster: undefined, dataDirectory }, onOpened);
        const [events, queue] = [await stores.events(), await stores.deliveries()];
        const { close } = events;
        Object.assign(events, { close: () => close().then(() => closed.push('events')) });
        const closeQueue = queue.close;
        Object.assign(queue, { close: () => closeQueue().then(() => Promise.reject(new Error('no space left'))) });
      }),
    );
    expect(failure).to.be.an('error').with.property('message', 'no space left');
    expect(closed).to.eql(['events']);
  });
});
