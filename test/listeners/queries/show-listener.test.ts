import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import { streamTimeline } from '../../../src/audit/history.js';
import { type ListenerEvent, listenerCodec } from '../../../src/events/listener-events.js';
import { ListenerNotFound, listenerStream } from '../../../src/listeners/listener.js';
import { findListener } from '../../../src/listeners/queries/find-listener.js';
import { listenerAsOf } from '../../../src/listeners/queries/listener-as-of.js';
import { showListener } from '../../../src/listeners/queries/show-listener.js';
import type { EventStore } from '../../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build, ReadModel } from '../../../src/views/read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { applyEvents } from '../../support/views/project-events.js';
import {
  details,
  firstId,
  nextId,
  paused,
  resumed,
  secretOf,
  secretRotated,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../fixtures.js';

const hour = (number: number) => new Date(Date.UTC(2026, 0, 1, number));
const stream = listenerStream(details.orgId, details.hookUrl);
const unknownId = '33333333-3333-4333-8333-333333333333';

describe('one listener', () => {
  let store: EventStore;
  let readModel: ReadModel;
  let build: Build;
  let readEvents: number;
  let hours: number;

  beforeEach(async () => {
    const directory = temporaryDirectory();
    const events = openSqliteEventStore({ directory });
    readEvents = 0;
    hours = 0;
    store = {
      ...events,
      async *readStream(...args) {
        for await (const event of events.readStream(...args)) {
          readEvents += 1;
          yield event;
        }
      },
    };
    readModel = openSqliteReadModel({ directory });
    build = await readModel.open(listenersView, buildName(listenersView, '1'));
    await readModel.flip(listenersView, build.name);
  });
  afterEach(async () => {
    await build.close();
    await readModel.close();
    await store.close();
  });

  /** Events at 0 h, 1 h, 2 h … of a day, each by another operator. */
  async function happened(...events: readonly ListenerEvent[]): Promise<void> {
    const encoded = events.map((event) => {
      hours += 1;
      return listenerCodec.encode(event, { actor: `admin:${hours - 1}`, correlationId: 'c' }, hour(hours - 1));
    });
    for (let at = 0; at < encoded.length; at += 1_000) await store.append(stream, encoded.slice(at, at + 1_000));
    const recorded = [];
    for await (const event of store.readStream(stream)) recorded.push(event);
    await applyEvents(build, listenersView, recorded);
    readEvents = 0;
  }

  const sources = () => ({
    store,
    readModel,
    findListener: findListener({ store, readModel, viewPassed: async () => undefined }),
    queue: {
      listenerStates: async () => new Map(),
      deliveries: async () => ({ deliveries: [], next: undefined }),
      listeners: async () => [],
    },
  });
  const show = (listenerId = firstId) => showListener(sources(), listenerId);
  const asOf = (at: Date, listenerId = firstId) => listenerAsOf(sources(), listenerId, at);

  it('is shown as its last event left it, with the reason of a pause', async () => {
    await happened(
      subscribed(),
      paused({ since: 0, reason: 'failing' }),
      secretRotated({ since: 1, paused: true, secret: secretOf(2) }),
    );
    expect(await show()).to.deep.include({
      listenerId: firstId,
      state: 'paused',
      pausedBy: 'failing',
      since: hour(1).toISOString(),
      secretVersion: 2,
      firstRegisteredAt: hour(0).toISOString(),
      endReason: null,
      replacedBy: null,
      held: 0,
    });
  });

  it('is shown after it has ended, also if a later listener of its URL took its place', async () => {
    const ended = { state: 'ended', endReason: 'gone', pausedBy: null, since: hour(1).toISOString() };
    await happened(subscribed(), unsubscribed({ since: 0, reason: 'gone' }));
    expect(await show()).to.include({ ...ended, replacedBy: null });
    await happened(subscribed({ listenerId: nextId }));
    expect(await show()).to.include({ ...ended, replacedBy: nextId });
    expect(await show(nextId)).to.include({ state: 'active', since: hour(2).toISOString() });
    expect(await rejection(show(unknownId))).to.be.instanceOf(ListenerNotFound);
  });

  it('is shown as of any instant, with the times of the changes around it', async () => {
    await happened(
      subscribed(),
      subscriptionChanged({ since: 0, ordered: true }),
      unsubscribed({ since: 1, ordered: true }),
      subscribed({ listenerId: nextId }),
    );
    const before = await asOf(new Date(hour(0).getTime() - 1));
    expect(before).to.deep.include({ state: 'none', details: null, change: null, previousAt: null });
    expect(before.nextAt).to.equal(hour(0).toISOString());

    const first = await asOf(hour(0));
    expect(first).to.deep.include({ state: 'active', previousAt: null, nextAt: hour(1).toISOString() });
    expect(first.details).to.include({ listenerId: firstId, ordered: false });
    expect(first.change).to.deep.equal({ type: 'ListenerSubscribed', at: hour(0).toISOString(), revision: '0' });

    const between = await asOf(new Date(hour(1).getTime() + 5));
    expect(between.details).to.include({ listenerId: firstId, ordered: true });
    expect([between.previousAt, between.nextAt]).to.deep.equal([hour(1).toISOString(), hour(2).toISOString()]);

    expect(await asOf(hour(2))).to.include({ state: 'ended', details: null });
    const later = await asOf(hour(9));
    expect(later.details).to.include({ listenerId: nextId, ordered: false });
    expect([later.previousAt, later.nextAt]).to.deep.equal([hour(3).toISOString(), null]);
  });

  it('has a timeline of all that happened to its URL, the latest first, page by page', async () => {
    await happened(subscribed(), paused({ since: 0 }), resumed({ since: 1 }), unsubscribed({ since: 2 }));
    const first = await streamTimeline(store, 'listener', stream, { limit: 3 });
    expect(first.entries.map(({ type, actor, reason }) => [type, actor, reason])).to.deep.equal([
      ['ListenerUnsubscribed', 'admin:3', 'requested'],
      ['ListenerResumed', 'admin:2', null],
      ['ListenerPaused', 'admin:1', 'operator'],
    ]);
    expect(first.entries.at(-1)?.before).to.include({ state: 'active' });
    expect(first.entries.at(-1)?.after).to.include({ state: 'paused' });
    const second = await streamTimeline(store, 'listener', stream, { limit: 3, before: first.next });
    expect(second.entries.map(({ type, before }) => [type, before])).to.deep.equal([['ListenerSubscribed', null]]);
    expect(second.next).to.equal(undefined);
    expect(await streamTimeline(store, 'listener', stream, { limit: 3, before: 0n })).to.deep.equal({
      entries: [],
      next: undefined,
    });
  });

  it('is found among 10,000 events with a few dozen reads', async () => {
    const rotations = Array.from({ length: 9_999 }, (_, index) =>
      secretRotated({ since: 0, paused: false, secret: secretOf(index + 2) }),
    );
    await happened(subscribed(), ...rotations);
    const found = await asOf(new Date(hour(5_000).getTime() + 1));
    expect(found.details?.secretVersion).to.equal(5_001);
    expect(found.change?.revision).to.equal('5000');
    await show();
    await streamTimeline(store, 'listener', stream, { limit: 50 });
    expect(readEvents).to.be.below(100);
  });
});
