import { expect } from 'chai';
import { publishFlowEventRoute } from '../../../src/admin/api/contracts/flow-events.js';
import {
  beginForwardingRoute,
  endForwardingRoute,
  fetchForwardedRoute,
} from '../../../src/admin/api/contracts/forwardings.js';
import { eraseOrganisationRoute } from '../../../src/admin/api/contracts/organisations.js';
import type { Caller } from '../../../src/admin/api/routing/admin-route.js';
import { signature, signingKey } from '../../../src/deliveries/worker/signed-headers.js';
import { type GivenOperations, givenOperations } from '../../support/admin/given-operations.js';
import { rejection } from '../../support/rejection.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const bob: Caller = { actor: 'admin:bob', role: 'owner', orgId: null };

describe('forwarding flow events to a command line', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
  });
  after(() => given.stop());

  const begin = (orgId: string, caller = ada) =>
    given.api.call(beginForwardingRoute, { body: { orgId, subscriptionType: 'order.*' } }, caller);
  const publish = (orgId: string, type: string, id: string) =>
    given.api.call(publishFlowEventRoute, { body: { orgId, type, id, data: { n: 1 } } }, ada);
  const fetch = ({ id, orgId }: { id: string; orgId: string }, after: string, waitSeconds = 10) =>
    given.api.call(fetchForwardedRoute, { params: { id }, body: { orgId, after, waitSeconds } }, ada);

  it('gives those of the organisation and the type since it began, in their order', async () => {
    await publish('acme', 'order.paid', 'before');
    const forwarding = await begin('acme');
    await publish('globex', 'order.paid', 'foreign');
    await publish('acme', 'invoice.paid', 'of-another-type');
    await publish('acme', 'order.paid', 'first');
    await publish('acme', 'order.sent', 'second');
    const first = await fetch(forwarding, forwarding.next);
    const second = await fetch(forwarding, first.items[0]?.position ?? '');
    expect([first.items[0], second.items[0]].map((item) => item?.eventId)).to.eql(['first', 'second']);
    expect(await fetch(forwarding, second.next, 0)).to.deep.include({ items: [], next: second.next });
    const fromBefore = await fetch(forwarding, '0');
    expect(fromBefore.items[0]?.eventId, 'nothing from before it began').to.equal('first');
  });

  it('gives them again for the same position, with the same ID and body, as after a lost answer', async () => {
    const forwarding = await begin('repeated');
    await publish('repeated', 'order.paid', 'o-1');
    const [one, other] = [await fetch(forwarding, forwarding.next), await fetch(forwarding, forwarding.next)];
    expect(one.items).to.have.length(1);
    expect(one.items[0]?.body).to.equal(other.items[0]?.body);
    expect(one.items[0]?.headers['webhook-id']).to.equal(other.items[0]?.headers['webhook-id']);
  });

  it('signs them with the secret that each run of an operator gets', async () => {
    const [forwarding, again, ofBob] = [await begin('signed'), await begin('signed'), await begin('signed', bob)];
    expect(again.signingSecret).to.equal(forwarding.signingSecret);
    expect(ofBob.signingSecret).not.to.equal(forwarding.signingSecret);
    await publish('signed', 'order.paid', 'o-1');
    const [item] = (await fetch(forwarding, forwarding.next)).items;
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp, 'webhook-signature': sent } = item?.headers ?? {};
    const signed = { id, timestamp: Number(timestamp), body: item?.body ?? '' };
    expect(sent).to.equal(signature(signingKey(forwarding.signingSecret), signed));
  });

  it('gives nothing once it has ended, or with the organisation of another one', async () => {
    const { id, orgId, next } = await begin('ended');
    expect(await rejection(fetch({ id, orgId: 'other' }, next, 0))).to.have.property('code', 'forwarding_over');
    await given.api.call(endForwardingRoute, { params: { id }, body: { orgId: 'other' } }, ada);
    await fetch({ id, orgId }, next, 0);
    await given.api.call(endForwardingRoute, { params: { id }, body: { orgId } }, ada);
    expect(await rejection(fetch({ id, orgId }, next, 0))).to.have.property('code', 'forwarding_over');
  });

  it('is erased with its organisation', async () => {
    const forwarding = await begin('erased');
    await given.api.call(eraseOrganisationRoute, { body: { orgId: 'erased', confirm: 'erased' } }, ada);
    expect(await rejection(fetch(forwarding, forwarding.next, 0))).to.have.property('code', 'forwarding_over');
  });
});
