import { expect } from 'chai';
import { listDeliveriesRoute, redeliverDeliveriesRoute } from '../../src/admin/api/contracts/deliveries.js';
import { searchListenersRoute } from '../../src/admin/api/contracts/listener-queries.js';
import { deliveryPages } from '../../src/console/pages/deliveries/deliveries.js';
import type { DeliveryState } from '../../src/console/pages/deliveries/delivery-state.js';
import { exampleAnswer } from '../../src/http/api-description/examples.js';
import type { SiteSettings } from '../../src/site/site.js';
import { withSite } from '../support/console/site-settings.js';
import { textOf } from '../support/console/text-of.js';

type Delivery = { id: string; listenerId: string; state: DeliveryState };
type Listener = { listenerId: string; status: 'active' | 'paused'; breaker: 'open' | 'closed' };

/** An organisation with these deliveries and listeners; redelivery takes all but those of paused listeners. */
function organisation(deliveries: readonly Delivery[], listeners: readonly Listener[] = []) {
  const redelivered: unknown[] = [];
  const call = async (route: unknown, { query = {}, body = {} }: Requested) => {
    if (route === listDeliveriesRoute) {
      const items = deliveries.filter(({ state }) => query.state === undefined || state === query.state);
      const [example] = exampleAnswer(listDeliveriesRoute.answer).items;
      const total = query.counted && { count: items.length, isAll: true };
      return { items: items.map((each) => ({ ...example, ...each })), next: null, total };
    }
    if (route === searchListenersRoute) {
      const state = { active: 'troubled', paused: 'paused' };
      const [example] = exampleAnswer(searchListenersRoute.answer).items;
      const found = listeners.filter(({ status }) => state[status] === body.state);
      const items = found.map(({ breaker, ...each }) => ({
        ...example,
        ...each,
        health: { ...example?.health, breaker },
      }));
      return { items, next: null };
    }
    if (route === redeliverDeliveriesRoute) {
      redelivered.push(JSON.parse(JSON.stringify(body)));
      return { redelivered: 2, leftOut: 1, next: null };
    }
    return { items: [], next: null };
  };
  const settings: Partial<SiteSettings> = {
    api: { call } as unknown as SiteSettings['api'],
    subjects: [deliveryPages],
    sessionOf: async () => ({ caller: { actor: 'console:ada', role: 'operator', orgId: 'acme' } }),
  };
  const get = (path: string) =>
    withSite(settings, async (origin) => textOf(await (await fetch(`${origin}/console${path}`)).text()));
  const post = (path: string, form: Readonly<Record<string, string>>) =>
    withSite(settings, async (origin) => {
      const body = new URLSearchParams(form);
      const sent = { method: 'POST', headers: { origin }, body, redirect: 'manual' } as const;
      const answer = await fetch(`${origin}/console${path}`, sent);
      const to = answer.headers.get('location');
      return { status: answer.status, to, text: textOf(await answer.text()) };
    });
  return { get, post, redelivered };
}

type Requested = {
  query?: { state?: DeliveryState; counted?: string };
  body?: { state?: string };
};

const delivery = (state: DeliveryState, number = 1, listenerId = 'one'): Delivery => ({
  id: `${state}-${number}`,
  state,
  listenerId,
});

describe('the page that redelivers deliveries', () => {
  it('offers those that wait where there are no dead letters and the filter names no state', async () => {
    const { get } = organisation([delivery('waiting', 1), delivery('waiting', 2), delivery('succeeded')]);
    const text = await get('/deliveries/redeliver');
    expect(text).to.include('Dead letter: 0 Waiting: 2 Held: 0 Delivered: 1 Cancelled: 0');
    expect(text).to.include('in the state “Waiting”').and.include('Redeliver 2 deliveries');
    expect(text).not.to.include('No delivery matches');
  });

  it('offers no delivered ones unless they are chosen', async () => {
    const { get } = organisation([delivery('succeeded')]);
    expect(await get('/deliveries/redeliver'))
      .to.include('No delivery matches')
      .and.include('Delivered: 1');
    expect(await get('/deliveries/redeliver?state=succeeded')).to.include('Redeliver 1 delivery');
  });

  it('says how many stay because an open circuit or a pause keeps them back', async () => {
    const waiting = [1, 2, 3].map((number) => delivery('waiting', number, 'broken'));
    const { get } = organisation(
      [...waiting, delivery('waiting', 4), delivery('waiting', 5, 'paused')],
      [
        { listenerId: 'broken', status: 'active', breaker: 'open' },
        { listenerId: 'paused', status: 'paused', breaker: 'open' },
      ],
    );
    const text = await get('/deliveries/redeliver?state=waiting');
    expect(text).to.include('4 deliveries become due now').and.include('Redeliver 4 deliveries');
    expect(text).to.include('Among them are 3 deliveries whose listeners have an open circuit: nothing is sent before');
    expect(text).to.include('1 delivery whose listener has been paused stays as before');
  });

  it('says that nothing is selected, and redelivers nothing', async () => {
    const { post, redelivered } = organisation([delivery('exhausted')]);
    const { status, text } = await post('/deliveries/redeliver-selected?state=exhausted', {});
    expect([status, text.match(/Nothing is selected: select deliveries first\./g)]).to.have.deep.members([
      400,
      ['Nothing is selected: select deliveries first.'],
    ]);
    expect(redelivered).to.deep.equal([]);
  });

  it('redelivers the state that it showed, and then states how many are due and how many stayed', async () => {
    const { post, get, redelivered } = organisation([delivery('waiting')]);
    const { to } = await post('/deliveries/redeliver?state=waiting&type=flow.*', {});
    expect(redelivered).to.deep.equal([{ orgId: 'acme', type: 'flow.*', states: ['waiting'], limit: 1_000 }]);
    expect(to).to.equal('/console/deliveries?notice=redelivered.2.1');
    expect(await get('/deliveries?notice=redelivered.2.1')).to.include(
      '2 deliveries are due now. 1 stayed. Its listener',
    );
    expect(await get('/deliveries?notice=redelivered.0.0')).to.include('Nothing was redelivered.');
    for (const forged of ['redelivered', 'redelivered.x', 'redelivered.1e9.-1']) {
      expect(await get(`/deliveries?notice=${forged}`), forged).not.to.match(/due now|redelivered/);
    }
  });
});
