import { expect } from 'chai';
import { resumedAt } from '../../src/deliveries/commands/resume-and-release.js';
import { listenerDecider, listenerStream } from '../../src/listeners/listener.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { handle } from '../../src/stores/event-store/handle.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { appendListenerEvent, day } from '../audit/append-events.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { details, now, paused, resume, resumed, secretRotated, subscribed } from './fixtures.js';

describe('the position at which a listener was resumed', () => {
  let store: EventStore;
  const stream = listenerStream(details.orgId, details.hookUrl);

  beforeEach(() => {
    store = openSqliteEventStore({ directory: temporaryDirectory() });
  });
  afterEach(() => store.close());

  const tell = (event: Parameters<typeof appendListenerEvent>[1]) => appendListenerEvent(store, event, { at: day(1) });
  const resumeIt = () =>
    handle(store, stream, listenerDecider, resume(), {
      cause: { actor: 'admin:ops', correlationId: 'request-1' },
      now,
    });

  it('is the event of this resume', async () => {
    await tell(subscribed());
    await tell(paused({ since: 0 }));
    const handled = await resumeIt();
    expect(handled.events).to.have.length(1);
    expect(await resumedAt(store, handled)).to.equal(await store.head());
  });

  it('is the event of an earlier resume, also after later events of the same period', async () => {
    await tell(subscribed());
    await tell(paused({ since: 0 }));
    const { position } = await tell(resumed({ since: 1 }));
    await tell(secretRotated({ since: 2, paused: false }));
    const handled = await resumeIt();
    expect(handled.events).to.deep.equal([]);
    expect(await resumedAt(store, handled)).to.equal(position);
  });

  it('is undefined if the listener was never paused, or was erased', async () => {
    await tell(subscribed());
    const handled = await resumeIt();
    expect(await resumedAt(store, handled)).to.equal(undefined);
    await store.deleteStream(stream);
    expect(await resumedAt(store, handled)).to.equal(undefined);
  });
});
