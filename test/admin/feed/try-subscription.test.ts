import { expect } from 'chai';
import { trySubscriptionRoute } from '../../../src/admin/api/contracts/feed.js';
import { publishFlowEventRoute } from '../../../src/admin/api/contracts/flow-events.js';
import { eraseOrganisationRoute } from '../../../src/admin/api/contracts/organisations.js';
import type { Caller } from '../../../src/admin/api/routing/admin-route.js';
import { sumOfTrials } from '../../../src/admin/api/sum-trials.js';
import { trySubscription } from '../../../src/admin/feed/try-subscription.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { rejection } from '../../support/rejection.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const member: Caller = {
  actor: 'user:42',
  role: 'viewer',
  orgId: 'acme',
  actions: [],
  member: { orgId: 'acme', scopes: null },
};
const dayMs = 86_400_000;
const bounds = { events: 100, bytes: 1_000_000, ms: 60_000 };

describe('a subscription tried on past flow events', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
    for (const [id, total] of [
      ['small', 12],
      ['large', 500],
      ['text', 'many'],
    ] as const)
      await publish('acme', id, { total });
    await publish('acme', 'refund', { total: 500 }, 'refund.made');
    await publish('globex', 'foreign', { total: 500 });
  });
  after(() => given.stop());

  const publish = (orgId: string, id: string, data: object, type = 'order.paid') =>
    given.api.call(publishFlowEventRoute, { body: { orgId, type, id, data } }, ada);
  /** All pages: on a busy machine one may end before its first event is evaluated. */
  const tried = (body: object, caller: Caller = ada) =>
    sumOfTrials(
      (after) =>
        given.api.call(
          trySubscriptionRoute,
          { body: { orgId: 'acme', subscriptionType: 'order.*', ...(after !== undefined && { after }), ...body } },
          caller,
        ),
      () => true,
    );

  it('counts those that would be sent, dropped and fail, with examples, for members of the organisation too', async () => {
    const body = { filter: { 'data.total': { $ne: 12 } }, transform: '{"amount": data.total + 1}' };
    const { examples, ...found } = await tried(body, member);
    expect(found).to.deep.include({ sent: 1, dropped: 1, failed: 1, gaps: [], stoppedBy: 'end', next: null });
    expect(examples.map(({ outcome, eventId, body }) => [outcome, eventId, body])).to.eql([
      ['dropped', 'small', null],
      ['sent', 'large', { amount: 501 }],
      ['failed', 'text', null],
    ]);
    expect(examples[0]?.because).to.equal('data.total.$ne 12 failed on 12');
    expect(examples[2]?.because).to.match(/must evaluate to a number/);
    expect(found.upTo).to.equal(examples[2]?.recordedAt);
  });

  it('sends and records nothing', async () => {
    const head = await given.store.head();
    await tried({ subscriptionType: '*' });
    expect(await given.store.head()).to.equal(head);
  });

  it('has as many examples of each outcome as were requested', async () =>
    expect((await tried({ examples: 2 })).examples.map(({ eventId }) => eventId)).to.eql(['small', 'large']));

  for (const [fault, body, text] of [
    ['a filter that is not valid', { filter: { 'data.total': { $near: 1 } } }, /filter/],
    ['a transformation that is not valid', { transform: '{"id": ' }, /transform: at character/],
    ['a period of no day', { days: 0 }, /days: must be a whole number from 1 to 3650/],
    ['a cursor of no page', { after: 'nothing' }, /`after` is not a cursor/],
    ['an unknown field', { hours: 1 }, /hours/],
  ] as const)
    it(`is refused with ${fault}`, async () => {
      const error = await rejection(tried(body));
      expect(error).to.have.property('code', 'invalid_request');
      expect((error as Error).message).to.match(text);
    });

  it('is refused for another organisation than that of the caller', async () =>
    expect(await rejection(tried({ orgId: 'globex' }, member))).to.have.property('code', 'forbidden'));

  it('counts nothing of the time before the period', async () => {
    const sources = { store: given.store, queue: given.queue, transform: async () => ({ kind: 'busy' }) as const };
    const from = new Date(Date.now() + dayMs).toISOString();
    const trial = { orgId: 'acme', subscriptionType: '*', filter: null, transform: '1', from, examples: 1 };
    expect(await trySubscription(sources, trial, undefined, bounds)).to.deep.include({
      counts: { sent: 0, dropped: 0, failed: 0 },
      upTo: null,
      stoppedBy: 'end',
    });
  });

  it('stops at an event that cannot be evaluated now, and continues with it', async () => {
    let isBusy = true;
    const transform = async ({ body }: { body: string }) =>
      isBusy && body.includes('large') ? ({ kind: 'busy' } as const) : ({ kind: 'done', body } as const);
    const sources = { store: given.store, queue: given.queue, transform };
    const from = new Date(0).toISOString();
    const trial = { orgId: 'acme', subscriptionType: '*', filter: null, transform: '1', from, examples: 0 };
    const first = await trySubscription(sources, trial, undefined, bounds);
    expect([first.counts.sent, first.stoppedBy]).to.eql([1, 'busy']);
    expect(await rejection(trySubscription(sources, trial, first.place, bounds))).to.have.property(
      'code',
      'store_unavailable',
    );
    isBusy = false;
    expect(await trySubscription(sources, trial, first.place, bounds)).to.deep.include({
      counts: { sent: 3, dropped: 0, failed: 0 },
      stoppedBy: 'end',
    });
  });

  it('ends a page after a number of bytes, and at its time, and says so', async () => {
    const { store, queue } = given;
    const sources = { store, queue, transform: async () => ({ kind: 'busy' }) as const };
    const from = new Date(0).toISOString();
    const trial = { orgId: 'acme', subscriptionType: '*', filter: null, transform: null, from, examples: 0 };
    for (const [bound, value] of [
      ['bytes', { bytes: 200 }],
      ['time', { ms: -1 }],
    ] as const) {
      const { stoppedBy, place, counts } = await trySubscription(sources, trial, undefined, { ...bounds, ...value });
      expect(stoppedBy).to.equal(bound);
      const rest = await trySubscription(sources, trial, place, bounds);
      expect(counts.sent + rest.counts.sent, bound).to.equal(4);
      expect(rest.counts.sent, bound).to.be.within(1, 3);
    }
  });

  it('says that events were erased', async () => {
    await publish('gone', 'erased', {});
    await given.api.call(eraseOrganisationRoute, { body: { orgId: 'gone', confirm: 'gone' } }, ada);
    await publish('gone', 'after', {});
    const { sent, gaps } = await tried({ orgId: 'gone', subscriptionType: '*' });
    expect([sent, gaps.map(({ reason }) => reason)]).to.eql([1, ['erasure']]);
  });
});
