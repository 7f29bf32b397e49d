import { expect } from 'chai';
import { readFeedRoute, trySubscriptionRoute } from '../../../src/admin/api/contracts/feed.js';
import { publishFlowEventRoute } from '../../../src/admin/api/contracts/flow-events.js';
import { searchListenersRoute } from '../../../src/admin/api/contracts/listener-queries.js';
import { subscribeListenerRoute } from '../../../src/admin/api/contracts/listeners.js';
import { activateTaskRoute, registerTaskRoute } from '../../../src/admin/api/contracts/tasks.js';
import type { Caller } from '../../../src/admin/api/routing/admin-route.js';
import { sumOfTrials } from '../../../src/admin/api/sum-trials.js';
import { listenerPages } from '../../../src/console/pages/listeners/listener-list.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { withSite } from '../../support/console/site-settings.js';
import { textOf } from '../../support/console/text-of.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const orgId = 'acme';
const fields = {
  hookUrl: 'https://hooks.example.com/new',
  subscriptionType: 'order.*',
  filter: '{"data.total": {"$gt": 40}}',
  transform: '{"amount": data.total}',
  days: '7',
};

describe('a subscription tried from its form in the console', function () {
  this.timeout(60_000);
  let given: GivenOperations;
  let listenerId: string;

  before(async () => {
    given = await givenOperations();
    await given.api.call(registerTaskRoute, { body: { orgId, name: 'own' } }, ada);
    await given.api.call(activateTaskRoute, { body: { orgId } }, ada);
    const listener = { orgId, hookUrl: 'https://hooks.example.com/old', subscriptionType: 'never' };
    ({ listenerId } = await given.api.call(subscribeListenerRoute, { body: listener }, ada));
    for (const [id, total] of [
      ['<small>', 12],
      ['large', 500],
      ['larger', 600],
    ] as const)
      await given.api.call(publishFlowEventRoute, { body: { orgId, type: 'order.paid', id, data: { total } } }, ada);
    await given.viewsCaughtUp();
    // The process that evaluates takes a while to start on a busy machine, longer than a page of the console waits.
    const { subscriptionType, transform } = fields;
    const read = (after: string | undefined) =>
      given.api.call(trySubscriptionRoute, { body: { orgId, subscriptionType, transform, after } }, ada);
    await sumOfTrials(read, () => true);
  });
  after(() => given.stop());

  const send = (path: string, form: Readonly<Record<string, string>>) =>
    withSite(
      {
        api: given.api,
        subjects: [listenerPages],
        sessionOf: async () => ({ caller: { actor: 'console:ada', role: 'operator', orgId } }),
      },
      async (origin) => {
        const sent = {
          method: 'POST',
          headers: { origin },
          body: new URLSearchParams(form),
          redirect: 'manual',
        } as const;
        const answer = await fetch(`${origin}/console${path}`, sent);
        return { status: answer.status, html: await answer.text() };
      },
    );
  const countsIn = (html: string) =>
    (/(\d+) events? would be sent, (\d+) dropped by the filter, and (\d+) would fail/.exec(textOf(html)) ?? [])
      .slice(1)
      .map(Number);

  for (const [form, pathOf] of [
    ['of a new listener', () => '/listeners/new'],
    ['that changes one', () => `/listeners/${listenerId}/edit`],
  ] as const)
    it(`${form} shows counts and examples beside what was typed, and keeps nothing`, async () => {
      const { status, html } = await send(pathOf(), { ...fields, try: '{}' });
      expect([status, countsIn(html)]).to.eql([200, [2, 1, 0]]);
      const text = textOf(html);
      expect(text).to.include('{"amount": 500}').and.include('data.total.$gt 40 failed on 12');
      expect(html).to.include('value="order.*"').and.include('&lt;small').and.not.include('<small>');
      expect(text).to.include(fields.filter).and.include(fields.transform).and.not.include('Continue');
      const { items } = await given.api.call(searchListenersRoute, { body: { orgId } }, ada);
      expect(items.map(({ subscriptionType }) => subscriptionType)).to.eql(['never']);
    });

  it('says what is not valid, beside what was typed', async () => {
    const { status, html } = await send('/listeners/new', {
      ...fields,
      filter: '{"data.total": {"$near": 1}}',
      try: '{}',
    });
    expect(status).to.equal(400);
    expect(textOf(html)).to.match(/filter\.data\.total.*\$near/i);
    expect(html).to.include('value="7" selected').and.include('value="order.*"');
  });

  it('continues with the counts so far, and begins anew if the subscription was changed', async () => {
    const { items } = await given.api.call(readFeedRoute, { query: { orgId } }, ada);
    const of = JSON.stringify({
      orgId,
      subscriptionType: 'order.*',
      filter: JSON.parse(fields.filter),
      transform: fields.transform,
      days: 7,
    });
    const reached = JSON.stringify({ sent: 10, dropped: 20, failed: 30, next: items[1]?.cursor, of });
    expect(countsIn((await send('/listeners/new', { ...fields, try: reached })).html)).to.eql([11, 20, 30]);
    expect(countsIn((await send('/listeners/new', { ...fields, filter: '', try: reached })).html)).to.eql([3, 0, 0]);
  });
});
