import { expect } from 'chai';
import { readFeedRoute } from '../../../src/admin/api/contracts/feed.js';
import { publishFlowEventRoute } from '../../../src/admin/api/contracts/flow-events.js';
import { eraseOrganisationRoute } from '../../../src/admin/api/contracts/organisations.js';
import { activateTaskRoute, deactivateTaskRoute, registerTaskRoute } from '../../../src/admin/api/contracts/tasks.js';
import type { Caller } from '../../../src/admin/api/routing/admin-route.js';
import { flowStream } from '../../../src/flows/flow-event.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const userOf = (orgId: string): Caller => ({
  actor: 'user:42',
  role: 'viewer',
  orgId,
  actions: [],
  member: { orgId, scopes: null },
});

type Query = { after?: string; type?: string; filter?: string; limit?: string; wait?: string };

describe('the feed of the flow events of an organisation', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
  });
  after(() => given.stop());

  const publish = (orgId: string, id: string, { type = 'order.paid', data = { n: 1 } as object } = {}) =>
    given.api.call(publishFlowEventRoute, { body: { orgId, type, id, data } }, ada);
  const read = (orgId: string, query: Query = {}, caller: Caller = ada) =>
    given.api.call(readFeedRoute, { query: { orgId, ...query } }, caller);
  const idsOf = ({ items }: Awaited<ReturnType<typeof read>>) =>
    items.map((item) => (item.kind === 'event' ? item.event.id : `${item.reason} ${item.events}`));
  async function enable(orgId: string): Promise<void> {
    await given.api.call(registerTaskRoute, { body: { orgId, name: 'own' } }, ada);
    await given.api.call(activateTaskRoute, { body: { orgId } }, ada);
  }
  const handedOver = (orgId: string, count: number) =>
    until(
      async () => (await given.queue.events({ orgId, limit: 100 })).length >= count,
      'the fan-out to hand the flow events over',
    );

  it('has those of the organisation alone, in order, after any cursor', async () => {
    for (const id of ['one', 'two', 'three']) {
      await publish('acme', id);
      await publish('globex', `foreign-${id}`);
    }
    const all = await read('acme');
    expect(idsOf(all)).to.eql(['one', 'two', 'three']);
    expect(all.more).to.equal(false);
    expect(idsOf(await read('acme', { after: all.items[0]?.cursor ?? '' }))).to.eql(['two', 'three']);
    expect(await read('acme', { after: all.next })).to.deep.include({ items: [], more: false });
  });

  it('has those of a type and a filter', async () => {
    await publish('chosen', 'small', { data: { total: 1 } });
    await publish('chosen', 'large', { data: { total: 500 } });
    await publish('chosen', 'refund', { type: 'refund.made', data: { total: 500 } });
    const filter = JSON.stringify({ 'data.total': { $gt: 100 } });
    expect(idsOf(await read('chosen', { type: 'order.*' }))).to.eql(['small', 'large']);
    expect(idsOf(await read('chosen', { filter }))).to.eql(['large', 'refund']);
    expect(idsOf(await read('chosen', { filter, type: 'refund.made' }))).to.eql(['refund']);
    for (const wrong of ['{', '{"data.total":{"$near":1}}'])
      expect(await rejection(read('chosen', { filter: wrong })), wrong).to.have.property('code', 'invalid_request');
  });

  it('begins at its end, where only later events are wanted', async () => {
    await publish('late', 'before');
    const { next, items } = await read('late', { after: 'end' });
    expect(items).to.eql([]);
    await publish('late', 'after');
    expect(idsOf(await read('late', { after: next }))).to.eql(['after']);
  });

  it('refuses a cursor of another organisation, and one that was never given out', async () => {
    await publish('cursor', 'one');
    const { next } = await read('cursor');
    const forged = Buffer.from('g1.7.7.AAAAAAAAAAAAAAAAAAAAAA').toString('base64url');
    // 16 bytes end within the last of 22 characters, whose other bits mean nothing.
    const text = Buffer.from(next, 'base64url').toString('latin1');
    const sameMac = text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + 1);
    for (const [orgId, after] of [
      ['other', next],
      ['cursor', forged],
      ['cursor', 'nothing'],
      ['cursor', `${next}A`.slice(2)],
      ['cursor', `${next}=`],
      ['cursor', `${next} `],
      ['cursor', `${next}\0`],
      ['cursor', Buffer.from(sameMac).toString('base64url')],
    ] as const)
      expect(await rejection(read(orgId, { after })), after).to.have.property('code', 'invalid_request');
  });

  it('says where events were deleted, and how many', async () => {
    for (const id of ['one', 'two', 'three', 'four']) await publish('deleted', id);
    await handedOver('deleted', 4);
    for (const id of ['two', 'three']) await given.store.deleteStream(flowStream('deleted', id));
    const [one] = (await read('deleted')).items;
    const after = one?.cursor ?? '';
    const isKnown = async () => idsOf(await read('deleted', { after })).includes('deleted 2');
    await until(isKnown, 'the feed to know that they were handed over');
    expect(idsOf(await read('deleted'))).to.eql(['one', 'deleted 2', 'four']);
    const parts: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await read('deleted', { limit: '1', ...(after !== undefined && { after }) });
      parts.push(...idsOf(page));
      ({ next: after, more } = page);
    }
    expect(parts).to.eql(['one', 'deleted 1', 'deleted 1', 'four']);
    expect(idsOf(await read('deleted', { type: 'refund.*' })), 'of a type that was not deleted').to.eql([]);
  });

  it('says once, also to a reader who has read all, that the organisation was erased', async () => {
    await publish('erased', 'one');
    const read1 = await read('erased');
    await given.api.call(eraseOrganisationRoute, { body: { orgId: 'erased', confirm: 'erased' } }, ada);
    const told = await read('erased', { after: read1.next });
    expect(idsOf(told)).to.eql(['erasure null']);
    expect(await read('erased', { after: told.next })).to.deep.include({ items: [] });
    await publish('erased', 'again');
    expect(idsOf(await read('erased', { after: told.next }))).to.eql(['again']);
    expect(idsOf(await read('erased'))).to.eql(['erasure null', 'again']);
  });

  it('waits for the next event, and has it as soon as it is recorded', async () => {
    const { next } = await read('waiting', { after: 'end' });
    const waiting = read('waiting', { after: next, wait: '30' });
    await publish('other', 'foreign');
    await publish('waiting', 'refund', { type: 'refund.made' });
    expect(idsOf(await waiting)).to.eql(['refund']);
  });

  it('waits on after an event that was not selected', async () => {
    const { next } = await read('selecting', { after: 'end' });
    const waiting = read('selecting', { after: next, type: 'order.*', wait: '30' });
    await publish('selecting', 'refund', { type: 'refund.made' });
    await publish('selecting', 'order');
    expect(idsOf(await waiting)).to.eql(['order']);
  });

  it('has nothing once the time of a wait is over, and its next cursor misses nothing', async () => {
    const { next } = await read('quiet', { after: 'end' });
    const { items, next: later } = await read('quiet', { after: next, wait: '1' });
    expect(items).to.eql([]);
    await publish('quiet', 'one');
    expect(idsOf(await read('quiet', { after: later }))).to.eql(['one']);
  });

  it('lets an organisation wait with five requests, whatever others do', async () => {
    await enable('hostile');
    const next = async (orgId: string) => (await read(orgId, { after: 'end' })).next;
    const [hostile, good] = [await next('hostile'), await next('good')];
    const refused: unknown[] = [];
    const many = Array.from({ length: 50 }, () =>
      read('hostile', { after: hostile, wait: '30' }, userOf('hostile')).catch((error: { code: string }) => {
        refused.push(error.code);
      }),
    );
    const goods = read('good', { after: good, wait: '30' });
    await publish('good', 'for-good');
    expect(idsOf(await goods)).to.eql(['for-good']);
    await until(() => refused.length === 45, 'all requests but five to be refused');
    expect(new Set(refused)).to.eql(new Set(['too_many_requests']));
    await publish('hostile', 'for-hostile');
    await Promise.all(many);
    expect(refused).to.have.length(45);
  });

  it('is refused to an organisation whose integration task is not active, also if it was deactivated during a wait', async () => {
    const orgId = 'disabled';
    expect(await rejection(read(orgId, {}, userOf(orgId)))).to.have.property('code', 'forbidden');
    await enable(orgId);
    const { next } = await read(orgId, { after: 'end' }, userOf(orgId));
    const refused = rejection(read(orgId, { after: next, wait: '30' }, userOf(orgId)));
    await given.api.call(deactivateTaskRoute, { body: { orgId } }, ada);
    await publish(orgId, 'one');
    expect(await refused).to.have.property('code', 'forbidden');
    expect(idsOf(await read(orgId)), 'operators read it').to.eql(['one']);
  });
});
