import { expect } from 'chai';
import { listenerHistory } from '../../projections/listener-history.js';
import type { ListenerEvent } from '../../src/events/listener-events.js';
import { listenerHistoryOf } from '../../src/listeners/queries/history.js';
import { buildName } from '../../src/views/projection.js';
import type { Build, ReadModel } from '../../src/views/read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import {
  failing,
  firstId,
  nextId,
  paused,
  plainSubscription,
  resumed,
  secretOf,
  secretRotated,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../listeners/fixtures.js';
import { recordedListenerEvents } from '../support/recorded.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { applyEvents } from '../support/views/project-events.js';

const otherUrl = 'https://hooks.example.com/2';

describe('the history of listeners', () => {
  let readModel: ReadModel;
  let build: Build;

  beforeEach(async () => {
    readModel = openSqliteReadModel({ directory: temporaryDirectory() });
    build = await readModel.open(listenerHistory, buildName(listenerHistory, 'run-1'));
    await readModel.flip(listenerHistory, build.name);
  });
  afterEach(async () => {
    await build.close();
    await readModel.close();
  });

  const happened = (events: readonly ListenerEvent[], first = 0n) =>
    applyEvents(build, listenerHistory, recordedListenerEvents(events, first));

  it('contains actor, time, and the fields before and after each change', async () => {
    await happened([
      subscribed({ subscriptionType: 'flow.*' }),
      subscriptionChanged({ since: 0, from: 'flow.*', subscriptionType: '*' }),
      paused({ since: 1 }),
      resumed({ since: 2 }),
      secretRotated({ since: 3, paused: false, secret: secretOf(2, { keyGeneration: 'g2' }) }),
      subscriptionChanged({ since: 3, ordered: true, ratePerSecond: 5 }),
      failing({ since: 5, failing: { since: '2026-01-01T00:00:00.000Z', failures: 20, percent: 50 } }),
      unsubscribed({ since: 5, subscriptionType: '*', reason: 'gone' }),
    ]);
    const { entries } = await listenerHistoryOf(readModel, { orgId: 'org-1' });
    const subscription = plainSubscription;
    expect(entries.map(({ type, before, after, reason }) => [type, before, after, reason])).to.deep.equal([
      ['ListenerSubscribed', null, { subscription, state: 'active', keyGeneration: 'g1', secretVersion: 1 }, null],
      [
        'ListenerSubscriptionChanged',
        { subscription },
        { subscription: { ...subscription, subscriptionType: '*' } },
        null,
      ],
      ['ListenerPaused', { state: 'active' }, { state: 'paused' }, 'operator'],
      ['ListenerResumed', { state: 'paused' }, { state: 'active' }, null],
      ['ListenerSecretRotated', {}, { keyGeneration: 'g2', secretVersion: 2, previousSecretUntil: null }, null],
      [
        'ListenerSubscriptionChanged',
        { subscription },
        { subscription: { ...subscription, ordered: true, ratePerSecond: 5 } },
        null,
      ],
      ['ListenerFailing', {}, { failingPercent: 50 }, null],
      ['ListenerUnsubscribed', { subscription: { ...subscription, subscriptionType: '*' } }, null, 'gone'],
    ]);
    expect(entries[0]).to.include({
      position: '00000000000000000000',
      at: '2026-01-02T03:04:05.678Z',
      actor: 'user:user-1',
      correlationId: 'request-0',
      orgId: 'org-1',
      userId: 'user-1',
      listenerId: firstId,
      hookUrl: 'https://hooks.example.com/1',
    });
  });

  it('can be read for one listener or one listener', async () => {
    await happened([
      subscribed(),
      subscribed({ hookUrl: otherUrl, listenerId: nextId }),
      unsubscribed({ since: 0 }),
      subscribed({ orgId: 'org-2' }),
    ]);
    const typesOf = async (subject: Parameters<typeof listenerHistoryOf>[1]) =>
      (await listenerHistoryOf(readModel, subject)).entries.map(({ position, type }) => `${Number(position)} ${type}`);

    expect(await typesOf({ orgId: 'org-1', hookUrl: otherUrl })).to.deep.equal(['1 ListenerSubscribed']);
    expect(await typesOf({ orgId: 'org-1', hookUrl: 'https://hooks.example.com/1' })).to.deep.equal([
      '0 ListenerSubscribed',
      '2 ListenerUnsubscribed',
    ]);
    expect(await typesOf({ listenerId: nextId })).to.deep.equal(['1 ListenerSubscribed']);
    expect(await typesOf({ orgId: 'org-2' })).to.deep.equal(['3 ListenerSubscribed']);
  });

  it('is paged in chronological order, for positions with any number of digits', async () => {
    await happened([subscribed(), paused({ since: 0 }), resumed({ since: 1 }), paused({ since: 2 })], 8n);
    const first = await listenerHistoryOf(readModel, { orgId: 'org-1' }, { limit: 3 });
    const second = await listenerHistoryOf(readModel, { orgId: 'org-1' }, { limit: 3, after: first.next });
    expect([...first.entries, ...second.entries].map(({ position }) => Number(position))).to.deep.equal([8, 9, 10, 11]);
    expect(second.next).to.equal(undefined);
  });
});
