import { expect } from 'chai';
import { listenerHistory } from '../../projections/listener-history.js';
import { listenersView } from '../../projections/listeners.js';
import { organisationStreams } from '../../projections/organisation-streams.js';
import { registeredAsOf } from '../../src/audit/as-of.js';
import { findConsents } from '../../src/audit/find-consents.js';
import { type FindStreams, indexedStreams, scannedStreams } from '../../src/audit/find-streams.js';
import { auditHistory, type HistoryQuery, historyCategories } from '../../src/audit/history.js';
import { StoreUnavailable } from '../../src/kernel/store-errors.js';
import { registeredAt } from '../../src/listeners/queries/registered-listeners.js';
import { EventUndecodable } from '../../src/stores/event-store/errors.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import type { ReadModel } from '../../src/views/read-model.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { skipEvent } from '../../src/views/skipped-events.js';
import { keyCreated, keyFacts, keyRevoked } from '../access/api-keys/fixtures.js';
import { consentGranted, consentWithdrawn } from '../access/consents/fixtures.js';
import { issued, revoked, rotated } from '../access/tokens/fixtures.js';
import {
  details,
  firstId,
  nextId,
  paused,
  resumed,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../listeners/fixtures.js';
import { collectPages } from '../support/collect-pages.js';
import { rejection } from '../support/rejection.js';
import {
  appendApiKeyEvent,
  appendConsentEvent,
  appendFutureListenerEvent,
  appendListenerEvent,
  appendOrganisationEvent,
  appendSessionEvent,
  appendTaskEvent,
  day,
} from './append-events.js';

/** The listener as the audit shows it. */
const { subscription, secret: _, ...ofListener } = details;
const ofSecret = { keyGeneration: 'g1', secretVersion: 1, previousSecretUntil: null };
const facts = { ...ofListener, ...subscription, ...ofSecret };

export type AuditedStores = {
  store: EventStore;
  readModel: ReadModel;
  close: () => Promise<void>;
};

const otherUrl = 'https://hooks.example.com/2';
const other = { hookUrl: otherUrl, listenerId: nextId, userId: 'user-2' };
const elsewhere = { orgId: 'org-2', listenerId: '33333333-3333-4333-8333-333333333333' };
const sessionOf = (userId: string) => ({
  userId,
  sessionId: userId === 'user-1' ? '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b11' : '7b4a6f0e-3c1f-5d5e-8a55-0c8e0c9f5b22',
});

/** Cases of the history of an organisation and of its listeners at any moment, for any stores. */
export function organisationHistory(open: () => Promise<AuditedStores>): void {
  let stores: AuditedStores;
  let store: EventStore;

  beforeEach(async () => {
    stores = await open();
    store = stores.store;
  });
  afterEach(() => stores.close());

  const indexed = (): FindStreams => indexedStreams(store, stores.readModel);
  const scanned = (): FindStreams => scannedStreams(store, historyCategories);
  async function buildIndex(views = [organisationStreams, listenerHistory]): Promise<void> {
    for (const projection of views) await rebuild({ store, readModel: stores.readModel, projection });
  }

  /** The history by the index and by a scan, which must be equal. */
  async function history(query: Partial<HistoryQuery> = {}, range = {}) {
    const asked = { orgId: 'org-1', ...query };
    const entries = await auditHistory(store, indexed(), asked, range);
    expect(await auditHistory(store, scanned(), asked, range)).to.deep.equal(entries);
    return entries;
  }
  const typesOf = async (query: Partial<HistoryQuery> = {}, range = {}) =>
    (await history(query, range)).map(({ type }) => type);

  /** Two organisations, of which the first has two listeners, a task, settings and two users that are signed in. */
  async function tellAll(): Promise<void> {
    await appendTaskEvent(
      store,
      { type: 'IntegrationTaskRegistered', data: { orgId: 'org-1', name: 'own' } },
      { at: day(1) },
    );
    await appendTaskEvent(
      store,
      { type: 'IntegrationTaskRegistered', data: { orgId: null, name: 'default' } },
      { at: day(1) },
    );
    await appendListenerEvent(store, subscribed(), { at: day(2) });
    await appendListenerEvent(store, subscribed(elsewhere), { at: day(2) });
    await appendSessionEvent(store, issued(sessionOf('user-1')), { at: day(3) });
    await appendSessionEvent(store, issued(sessionOf('user-2')), { at: day(3) });
    await appendListenerEvent(store, subscribed(other), { at: day(4), actor: 'user:user-2' });
    await appendListenerEvent(store, subscriptionChanged({ since: 0, from: 'flow.*', subscriptionType: '*' }), {
      at: day(5),
    });
    const settings = { orgId: 'org-1', ordered: true, ratePerSecond: 5, eventTypeCheck: 'off' } as const;
    await appendOrganisationEvent(store, { type: 'OrganisationSettingsChanged', data: settings }, { at: day(6) });
    await appendListenerEvent(store, paused({ since: 1, subscriptionType: '*' }), { at: day(7), actor: 'admin:ops' });
    await appendListenerEvent(store, unsubscribed({ since: 0, ...other }), { at: day(8) });
    await appendSessionEvent(store, rotated('first', 'second', sessionOf('user-1')), { at: day(9) });
    await appendSessionEvent(store, revoked('operator', sessionOf('user-2')), { at: day(10), actor: 'admin:ops' });
  }

  describe('the history of an organisation', () => {
    it('shows every change in order, with time, actor, reason, cause, and the states before and after', async () => {
      await tellAll();
      await buildIndex();
      const entries = await history();
      expect(entries.map(({ type, at, actor, reason }) => [type, at.slice(8, 10), actor, reason])).to.deep.equal([
        ['IntegrationTaskRegistered', '01', 'user:user-1', null],
        ['ListenerSubscribed', '02', 'user:user-1', null],
        ['ListenerSubscribed', '04', 'user:user-2', null],
        ['ListenerSubscriptionChanged', '05', 'user:user-1', null],
        ['OrganisationSettingsChanged', '06', 'user:user-1', null],
        ['ListenerPaused', '07', 'admin:ops', 'operator'],
        ['ListenerUnsubscribed', '08', 'user:user-1', 'requested'],
      ]);
      const [task, first, , changed, settings, stopped, removed] = entries;
      expect(task).to.include({ before: null, listenerId: null, undecodable: null });
      expect(task?.after).to.deep.equal({ state: 'inactive', name: 'own' });
      expect(first?.before).to.equal(null);
      expect(first?.after).to.deep.equal({ state: 'active', ...facts });
      expect(changed?.before).to.deep.equal(first?.after);
      expect(changed?.after).to.deep.equal({ state: 'active', ...facts, subscriptionType: '*' });
      expect(settings?.after).to.deep.equal({ ordered: true, ratePerSecond: 5, eventTypeCheck: 'off' });
      expect(stopped?.after).to.deep.equal({ ...changed?.after, state: 'paused' });
      expect(removed?.after).to.equal(null);
      expect(removed?.before).to.include({ listenerId: nextId, state: 'active' });
      expect(first).to.include({ correlationId: 'request-1', causationId: null, orgId: 'org-1', revision: '0' });
      expect(first).to.include({ listenerId: firstId, hookUrl: details.hookUrl, userId: 'user-1' });
    });

    it('can be limited to a hook URL, a listener or a period, and can include sessions', async () => {
      await tellAll();
      await buildIndex();
      const second = ['ListenerSubscribed', 'ListenerUnsubscribed'];
      expect(await typesOf({ hookUrl: otherUrl })).to.deep.equal(second);
      expect(await typesOf({ listenerId: nextId })).to.deep.equal(second);
      expect(await typesOf({ hookUrl: otherUrl, listenerId: firstId })).to.deep.equal([]);
      expect(await typesOf({ hookUrl: 'https://hooks.example.com/never' })).to.deep.equal([]);
      const between = { from: day(4), to: day(5) };
      expect(await typesOf(between)).to.deep.equal(['ListenerSubscribed', 'ListenerSubscriptionChanged']);
      expect(await typesOf({ user: 'user-1', from: day(9) })).to.deep.equal(['RefreshRotated']);
      expect(await typesOf({ user: true, from: day(9) })).to.deep.equal(['RefreshRotated', 'SessionRevoked']);
      expect(await typesOf({ user: 'user-2', hookUrl: otherUrl })).to.deep.equal([
        ...['TokensIssued', 'ListenerSubscribed', 'ListenerUnsubscribed', 'SessionRevoked'],
      ]);
    });

    it('shows the API keys of the organisation, without their hashes', async () => {
      const ofAll = { orgId: null, apiKeyId: nextId };
      await appendApiKeyEvent(store, keyCreated(), { at: day(1), actor: 'admin:ops' });
      await appendApiKeyEvent(store, keyCreated(ofAll), { at: day(1), actor: 'admin:ops' });
      await buildIndex();
      await appendApiKeyEvent(store, keyRevoked(day(2)), { at: day(2), actor: 'admin:eve' });
      const entries = await history();
      const { apiKeyId } = keyFacts;
      expect(entries.map((entry) => [entry.type, entry.actor, entry.apiKeyId])).to.deep.equal([
        ['ApiKeyCreated', 'admin:ops', apiKeyId],
        ['ApiKeyRevoked', 'admin:eve', apiKeyId],
      ]);
      const facts = { name: 'erp', scopes: ['flows:publish'], expiresAt: null, lastUsedAt: null };
      expect(entries[1]).to.deep.include({
        before: { state: 'active', ...facts },
        after: { state: 'revoked', ...facts },
      });
      expect(JSON.stringify(entries)).not.to.include(keyFacts.hash);
    });

    it('can include consents', async () => {
      await appendConsentEvent(store, consentGranted(), { at: day(1) });
      await appendConsentEvent(store, consentGranted({ userId: 'user-2' }), { at: day(2), actor: 'user:user-2' });
      await buildIndex();
      await appendConsentEvent(store, consentWithdrawn(), { at: day(3), actor: 'admin:ops' });
      expect(await typesOf()).to.deep.equal([]);
      const [granted, withdrawn, ...more] = await history({ user: 'user-1' });
      expect(granted?.after).to.deep.equal({
        state: 'granted',
        userId: 'user-1',
        clientId: 'zapier',
        scopes: ['listeners'],
      });
      expect(withdrawn).to.deep.include({ actor: 'admin:ops', before: granted?.after });
      expect(more).to.deep.equal([]);
      expect(await typesOf({ user: true })).to.have.length(3);
    });

    it('lists the consents of all users or of one, in pages', async () => {
      const users = ['user-1', 'user-2', 'user-3'];
      for (const userId of users) await appendConsentEvent(store, consentGranted({ userId }), { at: day(1) });
      await appendConsentEvent(store, consentGranted({ orgId: 'org-2' }), { at: day(1) });
      await buildIndex();
      await appendConsentEvent(store, consentWithdrawn({ userId: 'user-2' }), { at: day(2) });
      const find = (query: object = {}, range = {}) =>
        findConsents(store, indexed(), { orgId: 'org-1', ...query }, range);
      const all = await find();
      expect(all.map(({ userId }) => userId)).to.have.members(users);
      expect(await find({}, { limit: 2 })).to.deep.equal(all.slice(0, 2));
      expect(await find({}, { limit: 2, after: all[1]?.consentId })).to.deep.equal(all.slice(2));
      expect((await find({ userId: 'user-2' })).map(({ state }) => state)).to.deep.equal(['withdrawn']);
    });

    it('never shows the hash of a token', async () => {
      await tellAll();
      await buildIndex();
      expect(JSON.stringify(await history({ user: true }))).not.to.match(/Hash|first___/);
    });

    it('comes in pages, and an organisation without any is just empty', async () => {
      await tellAll();
      await buildIndex();
      const all = await history({ user: true });
      const pages = [];
      for (let after = -1n; ; ) {
        const page = await history({ user: true }, { limit: 4, after });
        pages.push(...page);
        if (page.length < 4) break;
        after = BigInt(page.at(-1)?.position ?? 0);
      }
      expect(pages).to.deep.equal(all);
      expect(all).to.have.length(11);
      expect(await history({ orgId: 'org-3', user: true })).to.deep.equal([]);
    });

    it('has the newest first on request, also in pages', async () => {
      await tellAll();
      await buildIndex();
      const all = (await history({ user: true })).toReversed();
      expect(await history({ user: true }, { first: 'newest' })).to.deep.equal(all);
      const firstPage = await history({ user: true }, { first: 'newest', limit: 4 });
      expect(firstPage).to.deep.equal(all.slice(0, 4));
      const after = BigInt(firstPage.at(-1)?.position ?? 0);
      expect(await history({ user: true }, { first: 'newest', limit: 4, after })).to.deep.equal(all.slice(4, 8));
      const ofFirst = ['ListenerPaused', 'ListenerSubscriptionChanged'];
      expect(await typesOf({ listenerId: firstId }, { first: 'newest', limit: 2 })).to.deep.equal(ofFirst);
      expect(await typesOf({ from: day(4), to: day(5) }, { limit: 1 })).to.deep.equal(['ListenerSubscribed']);
    });

    it('contains events that the index has not handled yet', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await buildIndex();
      await appendListenerEvent(store, subscribed(other), { at: day(2) });
      await appendListenerEvent(store, paused({ since: 0 }), { at: day(3) });
      expect(await typesOf()).to.deep.equal(['ListenerSubscribed', 'ListenerSubscribed', 'ListenerPaused']);
      expect(await typesOf({}, { limit: 1, first: 'newest' })).to.deep.equal(['ListenerPaused']);
    });

    it('contains events of listeners that operators skipped in the views', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      const { position } = await appendFutureListenerEvent(store, paused({ since: 0 }), { at: day(2) });
      const skip = { position, why: 'a later version' };
      await skipEvent(store, listenerHistory, skip, { cause: { actor: 'ops', correlationId: 'c' }, now: day(3) });
      await buildIndex();
      await appendListenerEvent(store, subscribed(other), { at: day(4) });
      expect(await typesOf({}, { limit: 2, first: 'newest' })).to.deep.equal(['ListenerSubscribed', 'ListenerPaused']);
    });

    it('shows an event that cannot be understood, and hides nothing beside it', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendFutureListenerEvent(store, paused({ since: 0 }), { at: day(2) });
      await appendListenerEvent(store, unsubscribed({ since: 0 }), { at: day(3) });
      await buildIndex([organisationStreams]);
      const [first, unknown, last] = await history();
      expect(unknown?.undecodable).to.match(/^ListenerPaused at revision 1 of listener-.* version 99 is not known$/);
      expect(unknown?.after).to.deep.equal(first?.after);
      expect(last).to.include({ type: 'ListenerUnsubscribed', after: null, undecodable: null });
    });

    it('reads the index only if it is needed', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      const query = { orgId: 'org-1' };
      expect(await rejection(auditHistory(store, indexed(), query))).to.be.instanceOf(StoreUnavailable);
      expect(await auditHistory(store, scanned(), query)).to.have.length(1);
    });
  });

  describe('the listeners at a moment', () => {
    const registered = async (at: Date | bigint, query = {}) => {
      const asked = { orgId: 'org-1', ...query };
      const then = await registeredAsOf(store, indexed(), asked, { at, limit: 1_000 });
      expect(await registeredAsOf(store, scanned(), asked, { at, limit: 1_000 })).to.deep.equal(then);
      return then;
    };
    const statesAt = async (at: Date | bigint, query = {}) =>
      (await registered(at, query)).map(({ hookUrl, state, subscriptionType }) =>
        [String(hookUrl).at(-1), state, subscriptionType].join(' '),
      );

    it('are those of the events recorded up to that time, inclusive', async () => {
      await tellAll();
      await buildIndex();
      expect(await statesAt(day(1))).to.deep.equal([]);
      expect(await statesAt(day(2))).to.deep.equal(['1 active flow.*']);
      expect(await statesAt(new Date(day(2).getTime() - 1))).to.deep.equal([]);
      expect((await statesAt(day(6))).sort()).to.deep.equal(['1 active *', '2 active flow.*']);
      expect(await statesAt(day(9))).to.deep.equal(['1 paused *']);
      expect(await statesAt(day(6), { hookUrl: otherUrl })).to.deep.equal(['2 active flow.*']);
      expect(await statesAt(day(9), { orgId: 'org-2' })).to.deep.equal(['1 active flow.*']);
      const [one] = await registered(day(9));
      expect(one).to.include({ orgId: 'org-1', revision: '2', changedAt: day(7).toISOString() });
    });

    it('are, for each stream, those before its first later event, even if clocks disagreed', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(2) });
      await appendListenerEvent(store, paused({ since: 0 }), { at: day(5) });
      await appendListenerEvent(store, resumed({ since: 1 }), { at: day(4) });
      await buildIndex();
      expect(await statesAt(day(4))).to.deep.equal(['1 active flow.*']);
      expect((await registered(day(4)))[0]).to.include({ revision: '0' });
      expect((await registered(day(5)))[0]).to.include({ revision: '2' });
    });

    it('equals the view at every position', async () => {
      await tellAll();
      await buildIndex();
      await rebuild({ store, readModel: stores.readModel, projection: listenersView });
      for await (const { position } of store.readAll()) {
        const inView = await collectPages(registeredAt(stores.readModel, 'org-1', position));
        const ids = (found: readonly object[]) =>
          found
            .map((each) => ('listenerId' in each && 'state' in each ? `${each.listenerId} ${each.state}` : ''))
            .sort();
        expect(ids(await registered(position)), `at ${position}`).to.deep.equal(ids(inView));
      }
    });

    it('is not guessed where an event by then cannot be understood', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendFutureListenerEvent(store, paused({ since: 0 }), { at: day(3) });
      await buildIndex([organisationStreams]);
      expect(await statesAt(day(2))).to.deep.equal(['1 active flow.*']);
      const asked = registeredAsOf(store, indexed(), { orgId: 'org-1' }, { at: day(3), limit: 1_000 });
      expect(await rejection(asked)).to.be.instanceOf(EventUndecodable);
    });
  });
}
