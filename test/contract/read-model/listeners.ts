import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import type { ListenerEvent } from '../../../src/events/listener-events.js';
import { listListeners, registeredAt } from '../../../src/listeners/queries/registered-listeners.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build } from '../../../src/views/read-model.js';
import {
  firstId,
  nextId,
  paused,
  resumed,
  subscribed,
  subscriptionChanged,
  unsubscribed,
} from '../../listeners/fixtures.js';
import { collectPages } from '../../support/collect-pages.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { applyEvents } from '../../support/views/project-events.js';
import type { Bench } from './support.js';

const hookUrl = 'https://hooks.example.com/1';

export function listenersContract({ readModel }: Bench): void {
  describe('the listeners view', () => {
    let build: Build;

    beforeEach(async () => {
      build = await readModel().open(listenersView, buildName(listenersView, 'run-1'));
      await readModel().flip(listenersView, build.name);
    });
    afterEach(() => build.close());

    /** Appends events at positions 0, 1, 2 … */
    async function happened(...events: ListenerEvent[]): Promise<void> {
      await applyEvents(build, listenersView, recordedListenerEvents(events));
    }

    const idsAt = async (orgId: string, position: bigint) =>
      (await collectPages(registeredAt(readModel(), orgId, position))).map(({ listenerId }) => listenerId);
    const activeIds = async (orgId: string) =>
      (await listListeners(readModel(), orgId)).listeners.map(({ listenerId }) => listenerId);

    it('never shows one organisation the data of another', async () => {
      const theirs = { orgId: 'org-2', listenerId: nextId };
      await happened(subscribed({ hookUrl }), subscribed({ ...theirs, hookUrl }));
      expect(await activeIds('org-1')).to.deep.equal([firstId]);
      expect(await idsAt('org-2', 1n)).to.deep.equal([nextId]);
      for (const nobody of ['org', 'ORG-1', 'org-1 ', '']) {
        expect(await activeIds(nobody), nobody).to.deep.equal([]);
        expect(await idsAt(nobody, 1n), nobody).to.deep.equal([]);
      }
    });

    it('takes an unsubscribed listener out of the list, and still knows what held before', async () => {
      await happened(subscribed({ hookUrl }), unsubscribed({ since: 0 }));
      expect(await activeIds('org-1')).to.deep.equal([]);
      expect(await idsAt('org-1', 1n)).to.deep.equal([]);
      expect(await idsAt('org-1', 0n)).to.deep.equal([firstId]);
    });

    it('knows for each position the listeners and their subscriptions', async () => {
      await happened(
        subscribed({ subscriptionType: 'flow.*' }),
        subscriptionChanged({ since: 0, from: 'flow.*', subscriptionType: 'flow.failed' }),
        paused({ since: 1, subscriptionType: 'flow.failed' }),
        resumed({ since: 2, subscriptionType: 'flow.failed' }),
        unsubscribed({ since: 3, subscriptionType: 'flow.failed' }),
        subscribed({ listenerId: nextId, subscriptionType: '*' }),
      );
      const held = async (position: bigint) =>
        (await collectPages(registeredAt(readModel(), 'org-1', position))).map(
          ({ listenerId, subscription, state }) => [listenerId, subscription.subscriptionType, state] as const,
        );
      expect(await held(0n)).to.deep.equal([[firstId, 'flow.*', 'active']]);
      expect(await held(1n)).to.deep.equal([[firstId, 'flow.failed', 'active']]);
      expect(await held(2n)).to.deep.equal([[firstId, 'flow.failed', 'paused']]);
      expect(await held(3n)).to.deep.equal([[firstId, 'flow.failed', 'active']]);
      expect(await held(4n)).to.deep.equal([]);
      expect(await held(5n)).to.deep.equal([[nextId, '*', 'active']]);
      expect(await held(1_000n)).to.deep.equal([[nextId, '*', 'active']]);
    });

    it('gives all listeners of a large organisation, and lists them page by page', async () => {
      const ids = Array.from(
        { length: 2_100 },
        (_, index) => `${String(index).padStart(8, '0')}-1111-4111-8111-111111111111`,
      );
      await happened(
        ...ids.map((listenerId) => subscribed({ listenerId, hookUrl: `https://hooks.example.com/${listenerId}` })),
      );
      expect(await idsAt('org-1', 5_000n)).to.deep.equal(ids);
      expect(await idsAt('org-1', 1_499n)).to.deep.equal(ids.slice(0, 1_500));

      const first = await listListeners(readModel(), 'org-1', { limit: 1_000 });
      const second = await listListeners(readModel(), 'org-1', { limit: 1_000, after: first.next });
      const third = await listListeners(readModel(), 'org-1', { limit: 1_000, after: second.next });
      const listed = [first, second, third].flatMap((page) => page.listeners.map(({ listenerId }) => listenerId));
      expect(listed).to.deep.equal(ids);
      expect(third.next).to.equal(undefined);
    });
  });
}
