import { expect } from 'chai';
import { listenerCodec } from '../../src/events/listener-events.js';
import { defaultFailingPolicy, recordFailingListener } from '../../src/listeners/commands/failing-listener.js';
import type { ListenerChange } from '../../src/listeners/commands/operate-listener.js';
import { listenerStream } from '../../src/listeners/listener.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { details, firstId, now, subscribed } from './fixtures.js';

const cause = { actor: 'service', correlationId: 'test' };
const stream = listenerStream(details.orgId, details.hookUrl);
const day = 24 * 60 * 60 * 1000;

describe('recording that a listener keeps failing', () => {
  let store: EventStore;
  let notified: ListenerChange[];

  beforeEach(async () => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    notified = [];
    await store.append(stream, [listenerCodec.encode(subscribed(), cause, now)]);
  });
  afterEach(() => store.close());

  /** Records a failing period of this number of days. */
  const record = (days: number, listenerId = firstId) =>
    recordFailingListener(
      { store, notifyChange: async (change) => void notified.push(change) },
      {
        ...details,
        listenerId,
        policy: defaultFailingPolicy,
        failing: { since: now.getTime(), attempts: 30 },
      },
      { cause, now: new Date(now.getTime() + days * day) },
    );
  const types = async () => {
    const found: string[] = [];
    for await (const { type } of store.readStream(stream)) found.push(type);
    return found;
  };

  it('records each step once', async () => {
    expect([await record(2.5), await record(2.5), await record(4.5)]).to.deep.equal([50, 0, 90]);
    expect(await types()).to.deep.equal(['ListenerSubscribed', 'ListenerFailing', 'ListenerFailing']);
    expect(notified).to.deep.equal([]);
  });

  it('pauses it at the last step, and notifies the queue at once', async () => {
    expect(await record(5)).to.equal(100);
    expect(await types()).to.deep.equal(['ListenerSubscribed', 'ListenerFailing', 'ListenerPaused']);
    const positions: bigint[] = [];
    for await (const { position } of store.readStream(stream)) positions.push(position);
    expect(notified.map(({ paused, position }) => [paused, position])).to.deep.equal([[true, positions[2]]]);
    expect(await record(6)).to.equal(0);
  });

  it('records a step once if several instances notice it at the same time', async () => {
    const steps = await Promise.all(Array.from({ length: 8 }, () => record(5)));
    expect(steps.filter((step) => step !== 0)).to.deep.equal([100]);
    expect(await types()).to.have.length(3);
  });

  it('does not change a listener that was registered later at the same hook URL', async () => {
    expect(await record(5, '22222222-2222-4222-8222-222222222222')).to.equal(0);
    expect(await types()).to.deep.equal(['ListenerSubscribed']);
  });
});
