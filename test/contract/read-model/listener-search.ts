import { expect } from 'chai';
import { listenersView } from '../../../projections/listeners.js';
import type { ListenerEvent } from '../../../src/events/listener-events.js';
import { type PeriodSearch, searchPeriods } from '../../../src/listeners/queries/search-periods.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build } from '../../../src/views/read-model.js';
import { failing, paused, resumed, subscribed, unsubscribed } from '../../listeners/fixtures.js';
import { recordedListenerEvents } from '../../support/recorded.js';
import { applyEvents } from '../../support/views/project-events.js';
import type { Bench } from './support.js';

const idOf = (number: number) => `${String(number).padStart(8, '0')}-1111-4111-8111-111111111111`;
const listener = (number: number, orgId = 'org-1', hookUrl = `https://hooks.example.com/${number}`) => ({
  listenerId: idOf(number),
  orgId,
  hookUrl,
});

export function listenerSearchContract({ readModel }: Bench): void {
  describe('a search of listeners', () => {
    let build: Build;
    let applied = 0n;

    beforeEach(async () => {
      applied = 0n;
      build = await readModel().open(listenersView, buildName(listenersView, 'run-1'));
      await readModel().flip(listenersView, build.name);
    });
    afterEach(() => build.close());

    async function happened(...events: ListenerEvent[]): Promise<void> {
      await applyEvents(build, listenersView, recordedListenerEvents(events, applied));
      applied += BigInt(events.length);
    }
    const search = (query: Partial<PeriodSearch>, maxExamined?: number) =>
      searchPeriods(readModel(), { limit: 100, ...query }, maxExamined);
    const found = async (query: Partial<PeriodSearch>) =>
      (await search(query)).listeners.map(({ listenerId }) => Number(listenerId.slice(0, 8)));

    it('finds those of all organisations or one, the latest first, page by page', async () => {
      await happened(...[1, 2, 3, 4, 5].map((number) => subscribed(listener(number, number % 2 ? 'org-1' : 'org-2'))));
      expect(await found({})).to.deep.equal([5, 4, 3, 2, 1]);
      expect(await found({ orgId: 'org-1' })).to.deep.equal([5, 3, 1]);
      const first = await search({ limit: 2 });
      expect(first.listeners.map(({ orgId }) => orgId)).to.deep.equal(['org-1', 'org-2']);
      expect(await found({ limit: 2, after: first.next })).to.deep.equal([3, 2]);
      expect((await search({ orgId: 'org-2', limit: 3 })).next).to.equal(undefined);
    });

    it('finds them by state, ended ones only if they are asked for', async () => {
      const said = { since: '2026-01-01T00:00:00.000Z', failures: 20, percent: 50 };
      await happened(
        ...[1, 2, 3, 4, 5, 6].map((number) => subscribed(listener(number))),
        paused({ ...listener(2), since: 0 }),
        failing({ ...listener(3), since: 0, failing: said }),
        failing({ ...listener(4), since: 0, failing: { ...said, percent: 100 } }),
        paused({ ...listener(4), since: 0, failing: { ...said, percent: 100 }, reason: 'failing' }),
        unsubscribed({ ...listener(5), since: 0 }),
        paused({ ...listener(6), since: 0 }),
        resumed({ ...listener(6), since: 1 }),
        subscribed(listener(7, 'org-2')),
        paused({ ...listener(7, 'org-2'), since: 0 }),
      );
      expect(await found({})).to.deep.equal([7, 6, 4, 3, 2, 1]);
      expect(await found({ state: 'active' })).to.deep.equal([6, 3, 1]);
      expect(await found({ state: 'paused' })).to.deep.equal([7, 2]);
      expect(await found({ state: 'paused', orgId: 'org-1' })).to.deep.equal([2]);
      expect(await found({ state: 'paused-failing' })).to.deep.equal([4]);
      expect(await found({ state: 'failing' })).to.deep.equal([3]);
      expect(await found({ state: 'ended' })).to.deep.equal([5]);
      expect(await found({ state: 'ended', orgId: 'org-2' })).to.deep.equal([]);
    });

    it('finds a whole URL by its index, and a part of a URL in either case', async () => {
      const zapier = (number: number) => `https://hooks.zapier.com/hooks/standard/AbC${number}/`;
      await happened(
        ...[1, 2, 3].map((number) => subscribed(listener(number))),
        ...[4, 5].map((number) => subscribed(listener(number, 'org-2', zapier(number)))),
        subscribed(listener(6, 'org-3', zapier(4))),
        unsubscribed({ ...listener(5, 'org-2', zapier(5)), since: 0 }),
      );
      const whole = await search({ hookUrl: zapier(4) });
      expect(whole.listeners.map(({ orgId }) => orgId)).to.deep.equal(['org-3', 'org-2']);
      expect(whole.searched).to.equal(2);
      expect(await found({ hookUrl: zapier(4), orgId: 'org-2' })).to.deep.equal([4]);
      expect(await found({ hookUrl: zapier(5) })).to.deep.equal([]);
      expect(await found({ hookUrl: zapier(5), state: 'ended' })).to.deep.equal([5]);
      expect(await found({ urlPart: 'HOOKS.Zapier.com' })).to.deep.equal([6, 4]);
      expect(await found({ urlPart: 'abc4' })).to.deep.equal([6, 4]);
      expect(await found({ urlPart: 'abc4', orgId: 'org-2' })).to.deep.equal([4]);
      expect(await found({ urlPart: '%' })).to.deep.equal([]);
    });

    it('examines a limited number for a page, and says where to go on', async () => {
      await happened(...Array.from({ length: 2_300 }, (_, number) => subscribed(listener(number))));
      const first = await search({ urlPart: '.com/7' });
      expect([first.searched, first.listeners.length]).to.deep.equal([1_600, 100]);
      const none = await search({ urlPart: 'nowhere' }, 2_000);
      expect([none.searched, none.listeners.length]).to.deep.equal([2_000, 0]);
      const rest = await search({ urlPart: 'nowhere', after: none.next });
      expect([rest.searched, rest.next]).to.deep.equal([300, undefined]);
    });
  });
}
