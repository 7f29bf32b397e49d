import { expect } from 'chai';
import { listenersView } from '../../projections/listeners.js';
import { organisationStreams } from '../../projections/organisation-streams.js';
import { listOrganisations, type OrganisationQuery } from '../../src/admin/list-organisations.js';
import { type Difference, differenceBetween } from '../../src/audit/as-of.js';
import type { Moment } from '../../src/audit/contract.js';
import { indexedStreams } from '../../src/audit/find-streams.js';
import { InvalidRequest } from '../../src/kernel/domain-error.js';
import { erasureCodec, erasuresStream } from '../../src/stores/event-store/erasure-events.js';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { rebuild } from '../../src/views/rebuilding/rebuild.js';
import { keyCreated, keyFacts, keyRevoked } from '../access/api-keys/fixtures.js';
import { issued } from '../access/tokens/fixtures.js';
import {
  details,
  firstId,
  nextId,
  paused,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../listeners/fixtures.js';
import { rejection } from '../support/rejection.js';
import {
  appendApiKeyEvent,
  appendFutureListenerEvent,
  appendListenerEvent,
  appendOrganisationEvent,
  appendSessionEvent,
  appendTaskEvent,
  day,
} from './append-events.js';
import type { AuditedStores } from './organisation-history.js';

/** The listener as the audit shows it. */
const { subscription, secret: _, ...ofListener } = details;
const ofSecret = { keyGeneration: 'g1', secretVersion: 1, previousSecretUntil: null };
const facts = { ...ofListener, ...subscription, ...ofSecret };

const otherUrl = 'https://hooks.example.com/2';
const other = { hookUrl: otherUrl, listenerId: nextId };
const again = { listenerId: '33333333-3333-4333-8333-333333333333' };

/** Cases of the difference of an organisation between two moments, and of the list of organisations, for any stores. */
export function organisationDifference(open: () => Promise<AuditedStores>): void {
  let stores: AuditedStores;
  let store: EventStore;

  beforeEach(async () => {
    stores = await open();
    store = stores.store;
  });
  afterEach(() => stores.close());

  async function buildViews(): Promise<void> {
    for (const projection of [organisationStreams, listenersView])
      await rebuild({ store, readModel: stores.readModel, projection });
  }

  describe('the difference of an organisation between two moments', () => {
    async function difference(from: Moment, to: Moment, limit = 100): Promise<readonly Difference[]> {
      const findStreams = indexedStreams(store, stores.readModel);
      return (await differenceBetween(store, findStreams, { orgId: 'org-1', from, to }, { limit })).flat();
    }
    const shown = async (from: Moment, to: Moment) =>
      (await difference(from, to)).map(({ change, kind, id, fields }) =>
        [change, kind, id, fields.join(',')].join(' '),
      );

    it('names added, removed and changed objects, with the fields and the last actor', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(2) });
      await appendListenerEvent(store, subscribed({ ...other, orgId: 'org-2' }), { at: day(2) });
      await buildViews();
      await appendListenerEvent(store, subscribed(other), { at: day(4) });
      const change = subscriptionChanged({ since: 0, from: 'flow.*', subscriptionType: '*' });
      await appendListenerEvent(store, change, { at: day(5) });
      await appendListenerEvent(store, paused({ since: 1, subscriptionType: '*' }), { at: day(6), actor: 'admin:ops' });
      await appendListenerEvent(store, unsubscribed({ since: 0, ...other }), { at: day(8) });

      expect(await shown(day(1), day(3))).to.deep.equal([`added listener ${firstId} `]);
      expect(await shown(day(5), day(8))).to.have.members([
        `changed listener ${firstId} state`,
        `removed listener ${nextId} `,
      ]);
      const [changed] = await difference(day(3), day(7), 1000).then((all) => all.filter(({ id }) => id === firstId));
      expect(changed).to.deep.include({
        before: { state: 'active', ...facts },
        after: { state: 'paused', ...facts, subscriptionType: '*' },
        fields: ['state', 'subscriptionType'],
        changedAt: day(6).toISOString(),
        changedBy: 'admin:ops',
      });
      expect(await shown(day(3), day(3))).to.deep.equal([]);
      expect(await shown(day(3), day(9)), 'a listener that came and went between them').to.have.length(1);
    });

    it('treats a listener that was removed and registered again as another listener', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendListenerEvent(store, unsubscribed({ since: 0 }), { at: day(2) });
      await appendListenerEvent(store, subscribed(again), { at: day(3) });
      await buildViews();
      expect(await shown(day(1), day(3))).to.deep.equal([
        `removed listener ${firstId} `,
        `added listener ${again.listenerId} `,
      ]);
    });

    it('covers the task, the settings and the API keys, and positions as well as times', async () => {
      const task = { orgId: 'org-1', name: 'own' };
      await appendTaskEvent(store, { type: 'IntegrationTaskRegistered', data: task }, { at: day(1) });
      await appendApiKeyEvent(store, keyCreated(), { at: day(1), actor: 'admin:ops' });
      const head = await store.head();
      await buildViews();
      await appendTaskEvent(store, { type: 'IntegrationTaskActivated', data: task }, { at: day(2) });
      const settings = { orgId: 'org-1', ordered: true, ratePerSecond: null, eventTypeCheck: 'off' } as const;
      await appendOrganisationEvent(store, { type: 'OrganisationSettingsChanged', data: settings }, { at: day(2) });
      await appendApiKeyEvent(store, keyRevoked(day(3)), { at: day(3), actor: 'admin:eve' });
      const kinds = (await difference(head, await store.head())).map(({ kind, change, fields }) => [
        kind,
        change,
        fields,
      ]);
      expect(kinds).to.deep.equal([
        ['apiKey', 'changed', ['state']],
        ['integrationTask', 'changed', ['state']],
        ['organisation', 'changed', ['ordered']],
      ]);
      const [key] = await difference(day(2), day(4));
      expect(key).to.include({ kind: 'apiKey', id: keyFacts.apiKeyId, changedBy: 'admin:eve' });
      expect(JSON.stringify(key)).not.to.include(keyFacts.hash);
    });

    it('comes in pages of streams', async () => {
      const urls = [1, 2, 3, 4, 5].map((number) => `https://hooks.example.com/page/${number}`);
      for (const hookUrl of urls) await appendListenerEvent(store, subscribed({ hookUrl }), { at: day(2) });
      await buildViews();
      const query = { orgId: 'org-1', from: day(1), to: day(3) };
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await differenceBetween(store, indexedStreams(store, stores.readModel), query, {
          limit: 2,
          after,
        });
        seen.push(...page.flat().map((each) => String(each.after?.hookUrl)));
        if (page.length < 2) break;
        after = page.at(-1)?.[0]?.stream;
      }
      expect(seen.toSorted()).to.deep.equal(urls);
    });

    it('says which object is unknown because an event cannot be decoded, and compares the others', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendListenerEvent(store, subscribed(other), { at: day(1) });
      await buildViews();
      await appendFutureListenerEvent(store, paused({ since: 0 }), { at: day(3) });
      await appendListenerEvent(store, paused({ since: 0, ...other }), { at: day(3) });
      const found = await difference(day(2), day(4));
      expect(found.map(({ change }) => change)).to.have.members(['undecodable', 'changed']);
      const unknown = found.find(({ change }) => change === 'undecodable');
      expect(unknown?.message).to.match(/version 99 is not known/);
    });

    it('refuses a period that ends before it begins', async () => {
      await buildViews();
      expect(await rejection(difference(day(3), day(2)))).to.be.instanceOf(InvalidRequest);
    });
  });

  describe('the list of organisations', () => {
    const list = (query: Partial<OrganisationQuery> = {}) =>
      listOrganisations(stores.readModel, { limit: 100, ...query });
    const ids = async (query?: Partial<OrganisationQuery>) => (await list(query)).map(({ orgId }) => orgId);

    it('has each organisation once, with the number of its listeners', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendListenerEvent(store, subscribed(other), { at: day(1) });
      await appendListenerEvent(store, unsubscribed({ since: 0 }), { at: day(1) });
      await appendSessionEvent(store, issued({ orgId: 'org-3' }), { at: day(1) });
      const taskOfAll = { orgId: null, name: 'default' };
      await appendTaskEvent(store, { type: 'IntegrationTaskRegistered', data: taskOfAll }, { at: day(1) });
      await buildViews();
      expect(await list()).to.deep.equal([
        { orgId: 'org-1', listeners: 1 },
        { orgId: 'org-3', listeners: 0 },
      ]);
    });

    it('is searched by the beginning of the ID, in pages', async () => {
      const all = ['a', 'a b', 'a/b', 'a-b', 'ab', 'b', 'ä', '組織', '𝄞 1'];
      for (const orgId of all) {
        for (const hookUrl of ['https://hooks.example.com/1', otherUrl]) {
          await appendListenerEvent(store, subscribed({ orgId, hookUrl }), { at: day(1) });
        }
      }
      await buildViews();
      const bytes = (one: string, two: string) => Buffer.compare(Buffer.from(one), Buffer.from(two));
      expect(await ids()).to.deep.equal(all.toSorted(bytes));
      expect(await ids({ prefix: 'a' })).to.deep.equal(['a', 'a b', 'a-b', 'a/b', 'ab']);
      expect(await ids({ prefix: 'a/' })).to.deep.equal(['a/b']);
      expect(await ids({ prefix: 'c' })).to.deep.equal([]);
      expect(await ids({ prefix: 'a', limit: 2 })).to.deep.equal(['a', 'a b']);
      expect(await ids({ prefix: 'a', limit: 2, after: 'a b' })).to.deep.equal(['a-b', 'a/b']);
      expect(await ids({ prefix: 'a', limit: 2, after: 'a/b' })).to.deep.equal(['ab']);
    });

    it('leaves an organisation out once all its streams have been erased', async () => {
      await appendListenerEvent(store, subscribed(), { at: day(1) });
      await appendListenerEvent(store, subscribed({ ...other, orgId: 'org-2' }), { at: day(1) });
      const { stream } = await firstEvent();
      const streams = [{ stream, revision: '0', listenerIds: [firstId] }];
      const erased = {
        type: 'StreamsErased' as const,
        data: { why: 'organisation' as const, organisation: null, streams },
      };
      await store.append(erasuresStream, [
        erasureCodec.encode(erased, { actor: 'admin:ops', correlationId: 'r' }, day(2)),
      ]);
      await buildViews();
      expect(await ids()).to.deep.equal(['org-2']);
    });

    async function firstEvent() {
      for await (const event of store.readAll({ limit: 1 })) return event;
      throw new Error('the store is empty');
    }
  });
}
