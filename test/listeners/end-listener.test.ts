import { expect } from 'chai';
import { type ListenerEvent, listenerCodec } from '../../src/events/listener-events.js';
import { type EndListener, endListener } from '../../src/listeners/commands/end-listener.js';
import { ListenerNotFound, listenerStream } from '../../src/listeners/listener.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { rejection } from '../support/rejection.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { details, firstId, nextId, now, subscribed, unsubscribed } from './fixtures.js';

const { orgId, hookUrl } = details;
const cause = { actor: 'service', correlationId: 'test' };
const stream = listenerStream(orgId, hookUrl);

describe('ending a listener', () => {
  let store: EventStore;
  let closed: string[];

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
    closed = [];
  });
  afterEach(() => store.close());

  const recorded = async (...events: readonly ListenerEvent[]) =>
    void (await store.append(
      stream,
      events.map((event) => listenerCodec.encode(event, cause, now)),
    ));
  const end = (command: Partial<EndListener> = {}) =>
    endListener(
      { store, barrier: { close: async (listenerId) => void closed.push(listenerId) } },
      { reason: 'requested', orgId, hookUrl, ...command },
      { cause, now },
    );
  const types = async () => {
    const found: string[] = [];
    for await (const { type } of store.readStream(stream)) found.push(type);
    return found;
  };

  it('records the end, and closes the gate with each repeat', async () => {
    await recorded(subscribed());
    await end();
    await end();
    expect(await types()).to.deep.equal(['ListenerSubscribed', 'ListenerUnsubscribed']);
    expect(closed).to.deep.equal([firstId, firstId]);
  });

  it('closes the gate of the named listener, and leaves a later listener at the same hook URL', async () => {
    await recorded(subscribed(), unsubscribed({ since: 0 }), subscribed({ listenerId: nextId }));
    await end({ reason: 'gone', listenerId: firstId });
    expect(await types()).to.have.length(3);
    expect(closed).to.deep.equal([firstId]);
  });

  it('leaves a listener and its gate unless its end is due', async () => {
    await recorded(subscribed());
    await end({ reason: 'expired', listenerId: firstId, isDue: () => false });
    expect(await types()).to.deep.equal(['ListenerSubscribed']);
    expect(closed).to.deep.equal([]);
  });

  it('closes the gate of a named listener whose history was erased', async () => {
    await end({ reason: 'gone', listenerId: firstId });
    expect(closed).to.deep.equal([firstId]);
  });

  it('refuses a hook URL where none was ever registered', async () => {
    expect(await rejection(end())).to.be.instanceOf(ListenerNotFound);
    expect(closed).to.deep.equal([]);
  });
});
