import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { showHistoryRoute } from '../../src/admin/api/contracts/audit.js';
import { eraseOrganisationRoute } from '../../src/admin/api/contracts/organisations.js';
import type { Caller } from '../../src/admin/api/routing/admin-route.js';
import { keysCodec, keysStream } from '../../src/events/key-events.js';
import { type GivenOperations, givenOperations } from '../support/admin/given-operations.js';
import { rejection } from '../support/rejection.js';

const ada: Caller = { actor: 'admin:ada', role: 'owner', orgId: null };
const forwardingId = '9b6f1f2e-0d7c-4d0b-9b1e-3a5c2f7d8e11';
const stream = `forwarding-${forwardingId}`;

/** Events as release 1.0.0 recorded them. */
const recorded = [
  ['ForwardingBegan', '2026-01-02T03:10:00.000Z'],
  ['ForwardingExtended', '2026-01-02T03:15:00.000Z'],
  ['ForwardingEnded', '2026-01-02T03:12:00.000Z'],
].map(([type = '', until = '']) => ({
  id: randomUUID(),
  type,
  data: { forwardingId, orgId: 'acme', subscriptionType: 'order.*', from: '7', until },
  metadata: {
    schemaVersion: 1,
    actor: 'admin:ops',
    $correlationId: 'c-1',
    $causationId: 'c-1',
    recordedAt: '2026-01-02T03:00:00.000Z',
  },
}));

describe('forwardings that release 1.0.0 recorded', function () {
  this.timeout(60_000);
  let given: GivenOperations;

  before(async () => {
    given = await givenOperations();
    await given.store.append(stream, recorded);
    await given.viewsCaughtUp();
  });
  after(() => given.stop());

  it('are in the history of their organisation', async () => {
    const { items } = await given.api.call(showHistoryRoute, { body: { orgId: 'acme' } }, ada);
    expect(items.map(({ type, actor, undecodable }) => [type, actor, undecodable])).to.eql([
      ['ForwardingBegan', 'admin:ops', null],
      ['ForwardingExtended', 'admin:ops', null],
      ['ForwardingEnded', 'admin:ops', null],
    ]);
    expect(items[2]?.before).to.eql({ state: 'open', subscriptionType: 'order.*', until: '2026-01-02T03:15:00.000Z' });
    expect(items[2]?.after).to.eql({ state: 'ended', subscriptionType: 'order.*', until: '2026-01-02T03:12:00.000Z' });
  });

  it('are sealed, and erased with their organisation, which a check of the seal tells', async () => {
    const { thumbprints } = given.signingKeys;
    const keys = {
      ...{ masterKeys: {}, signingKeys: [...thumbprints], signsFrom: {} },
      retired: { masterKeys: [], signingKeys: [] },
    };
    const cause = { actor: 'service', correlationId: 'start' };
    await given.store.append(keysStream, [keysCodec.encode({ type: 'KeysRecorded', data: keys }, cause, new Date())]);
    const { signal } = new AbortController();
    const seal = await text((await given.seals.make(ada, signal)).content);
    const check = () => given.seals.check(ada, Readable.from([seal]), { signal });
    expect(await check()).to.include({ matches: true });
    await given.api.call(eraseOrganisationRoute, { body: { orgId: 'acme', confirm: 'acme' } }, ada);
    expect((await check()).findings.map(({ stream, kind }) => [stream, kind])).to.eql([[stream, 'erased']]);
    const read = async () => {
      for await (const _ of given.store.readStream(stream)) break;
    };
    expect(await rejection(read())).to.have.property('code', 'stream_not_found');
  });
});
