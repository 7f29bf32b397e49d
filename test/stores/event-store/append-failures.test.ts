import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { WrongExpectedRevision } from '../../../src/stores/event-store/errors.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { observeAppends } from '../../../src/stores/event-store/observed-event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('an observed event store', () => {
  const event = () => ({ id: randomUUID(), type: 'happened', data: {}, metadata: {} });
  let broken = false;
  let time = 0;
  const real = openSqliteEventStore({ directory: temporaryDirectory() });
  const store = observeAppends(
    {
      ...real,
      append: (...args: Parameters<EventStore['append']>) =>
        broken ? Promise.reject(new StoreUnavailable('the disk is full')) : real.append(...args),
    },
    () => undefined,
    () => time,
  );
  after(() => store.close());

  it('fails from an append that the store could not take until one that it took', async () => {
    broken = true;
    await rejection(store.append('thing-1', [event()]));
    expect(store.failure()?.message).to.equal('the disk is full');
    broken = false;
    await store.append('thing-1', [event()]);
    expect(store.failure()).to.equal(undefined);
  });

  it('is not failing by a conflict, which is between callers', async () => {
    const conflict = await rejection(store.append('thing-1', [event()], { expectedRevision: 7n }));
    expect(conflict).to.be.instanceOf(WrongExpectedRevision);
    expect(store.failure()).to.equal(undefined);
  });

  it('forgets a failure that is ten seconds old, so that an instance which gets no requests for it can get some again', async () => {
    broken = true;
    await rejection(store.append('thing-1', [event()]));
    time += 9_999;
    expect(store.failure()).not.to.equal(undefined);
    time += 1;
    expect(store.failure()).to.equal(undefined);
    broken = false;
  });
});
