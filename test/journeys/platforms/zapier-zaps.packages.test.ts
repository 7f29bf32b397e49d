import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { documentedUser } from '../../support/documented-login-page.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import type { Bundle } from '../../support/zapier/integration.js';
import { openZapierPlace, type ZapierPlace } from '../../support/zapier/production.js';
import type { Connection, FlowEvent, Zap } from '../../support/zapier/zapier.js';

describe('Zaps of the Zapier integration', function () {
  this.timeout(120_000);
  let place: ZapierPlace;
  let connection: Connection;

  before(async () => {
    place = await openZapierPlace();
    connection = await place.zapier.connect(documentedUser);
    const type = { name: 'order.paid', description: 'An order was paid', example: { total: 42 } };
    expect((await place.admin('/event-types', type)).status).to.equal(201);
  });
  after(() => place.stop());
  beforeEach(() => place.zapier.receiver.answer(200));

  const paid = (id: string, total: number) => place.publish({ type: 'order.paid', id, data: { total } });
  const idsOf = (events: readonly FlowEvent[]) => events.map(({ id }) => id);
  const messageOf = async (promise: Promise<unknown>) =>
    (JSON.parse(((await rejection(promise)) as Error).message) as { message: string }).message;
  const find = (inputData: Readonly<Record<string, string>>) =>
    connection.run('searches.find_flow_event.operation.perform', { inputData }) as Promise<readonly FlowEvent[]>;
  const stateOf = async (zap: Zap) => {
    const { body } = await place.admin(`/listeners/${zap.subscribeData.id}`);
    return (body as { state: string }).state;
  };
  /** Publishes an event that every Zap would get, and waits until the listener of one got it: earlier events would have come too. */
  async function everythingHasArrived(id: string): Promise<void> {
    const witness = await connection.turnOn({ subscriptionType: '*' });
    await paid(id, 0);
    await witness.triggeredBy(1);
    await pause(300);
    await witness.turnOff();
  }

  it('offer the declared event types to choose from', async () => {
    const types = await connection.run('triggers.subscription_type.operation.perform');
    expect(types).to.deep.equal([
      { id: '*', name: 'All events', description: 'Every flow event.' },
      { id: 'order.paid', name: 'order.paid', description: 'An order was paid' },
    ]);
    const toPublish = await connection.run('triggers.event_type.operation.perform');
    expect(toPublish).to.deep.equal([{ id: 'order.paid', name: 'order.paid', description: 'An order was paid' }]);
    for (const { id } of types as readonly { id: string }[])
      expect((await connection.samples({ subscriptionType: id }))[0]?.type, id).to.equal('order.paid');
  });

  it('are set up with a sample of the declared type, then with real events in the shape of the delivery', async () => {
    const [declared] = await connection.samples({ subscriptionType: 'order.paid' });
    expect(declared).to.deep.include({ type: 'order.paid', data: { total: 42 } });
    const zap = await connection.turnOn({ subscriptionType: 'order.paid' });
    await paid('shape', 7);
    const [delivered] = await zap.triggeredBy(1);
    await until(
      async () => (await connection.samples({ subscriptionType: 'order.paid' }))[0]?.id === 'shape',
      'a sample',
    );
    expect((await connection.samples({ subscriptionType: 'order.paid' }))[0]).to.deep.equal(delivered);
    expect(Object.keys(declared ?? {})).to.deep.equal(Object.keys(delivered ?? {}));
    await zap.turnOff();
  });

  it('are triggered by the events that their type and filter select', async () => {
    const all = await connection.turnOn({ subscriptionType: 'order.*', filter: ' ' });
    const large = await connection.turnOn({ subscriptionType: 'order.paid', filter: '{"data.total": {"$gt": 40}}' });
    await paid('small', 40);
    await paid('large', 41);
    await place.publish({ orgId: 'other', type: 'order.paid', id: 'foreign', data: { total: 99 } });
    expect(idsOf(await all.triggeredBy(2))).to.have.members(['small', 'large']);
    expect(idsOf(await large.triggeredBy(1))).to.deep.equal(['large']);
    await everythingHasArrived('afterwards');
    expect(large.received()).to.have.length(1);

    await until(async () => (await find({ id: 'large' })).length === 1, 'the event to be found');
    const filter = '{"data.total": {"$in": [40, 41]}}';
    expect(idsOf(await connection.samples({ subscriptionType: 'order.paid', filter }))).to.deep.equal([
      'large',
      'small',
    ]);
    await Promise.all([all.turnOff(), large.turnOff()]);
  });

  it('receive nothing once they are off, and may be turned off again', async () => {
    const off = await connection.turnOn({ subscriptionType: '*' });
    expect(await off.turnOff()).to.include({ success: true });
    await everythingHasArrived('after-off');
    expect(off.received()).to.deep.equal([]);
    expect(await stateOf(off)).to.equal('ended');
    expect(await off.turnOff()).to.include({ success: true });
    const unknown = { targetUrl: 'https://93.184.215.14/never-registered' };
    expect(await connection.run('triggers.flow_event.operation.performUnsubscribe', unknown)).to.deep.equal({});
  });

  it('are removed by Zapier’s answer 410', async () => {
    const zap = await connection.turnOn({ subscriptionType: 'order.paid' });
    place.zapier.receiver.answer(410);
    await paid('gone', 1);
    await until(async () => (await stateOf(zap)) === 'ended', 'the removal of the listener');
    place.zapier.receiver.answer(200);
    await everythingHasArrived('after-gone');
    expect(zap.received()).to.have.length(1);
    expect(await zap.turnOff()).to.include({ success: true });
  });

  it('take signed deliveries without a request to the service, also while two secrets sign', async () => {
    const zap = await connection.turnOn({ subscriptionType: 'order.paid' });
    expect((await place.admin(`/listeners/${zap.subscribeData.id}/rotate-secret`, {})).status).to.equal(200);
    await paid('signed', 1);
    await until(() => zap.received().length === 1, 'the delivery');
    expect(zap.received()[0]?.headers['webhook-signature']).to.match(/^v1,\S+ v1,\S+$/);
    const { authData } = connection;
    connection.authData = { ...authData, access_token: 'none', refresh_token: 'none' };
    expect(idsOf(await zap.triggeredBy(1))).to.deep.equal(['signed']);
    connection.authData = authData;
    await zap.turnOff();
  });

  it('go on after the secret of their listener was rotated, and ignore requests of others', async () => {
    const zap = await connection.turnOn({ subscriptionType: 'order.paid', filter: '{"data.total": {"$gt": 40}}' });
    const rotation = await place.admin(`/listeners/${zap.subscribeData.id}/rotate-secret`, { overlapHours: 0 });
    expect(rotation.status).to.equal(200);
    await paid('rotated', 50);
    expect(idsOf(await zap.triggeredBy(1))).to.deep.equal(['rotated']);

    const [{ headers } = { headers: {} }] = zap.received();
    const forged = (body: unknown) => zap.receive({ headers, body: JSON.stringify(body) });
    const ofTheService = await forged({ id: 'rotated', type: 'order.paid', data: { total: 1_000_000 } });
    expect(ofTheService[0]).to.deep.include({ id: 'rotated', data: { total: 50 } });
    const others = [{ id: 'invented' }, { id: 'small' }, { id: { $ne: '' } }, {}, null, 'text'];
    for (const error of await Promise.all(others.map(forged).map(rejection))) {
      const { name, message } = error as Error;
      expect(name).to.equal('HaltedError');
      expect(message).to.match(
        /^Ignored: the signature of this request is not valid, and the service has no such event\./,
      );
    }
    await zap.turnOff();
  });

  it('publish flow events for their organisation, each ID once', async () => {
    const publishing = (inputData: object) =>
      connection.run('creates.publish_flow_event.operation.perform', { inputData } as Bundle);
    const zap = await connection.turnOn({ subscriptionType: 'invoice.*' });
    const type = 'invoice.sent';
    const event = { type, id: 'invoice-1', json: '{"total": 42}', data: { note: 'Grüße' }, flowId: 'invoice' };
    for (let n = 0; n < 2; n += 1)
      expect(await publishing(event)).to.deep.equal({ id: 'invoice-1', type, warning: '' });
    const { id } = (await publishing({ type, data: { note: 'b' } })) as { id: string };
    const events = await zap.triggeredBy(2);
    expect(idsOf(events)).to.have.members(['invoice-1', id]);
    const first = events.find(({ id }) => id === 'invoice-1');
    expect(first).to.deep.include({ orgId: 'acme', flowId: 'invoice', data: { total: 42, note: 'Grüße' } });
    expect(await messageOf(publishing({ type: 'no type' }))).to.include('type');
    await zap.turnOff();
  });

  it('find flow events by ID, type and filter, and never samples', async () => {
    await paid('wanted', 1_000);
    await until(async () => (await find({ id: 'wanted' })).length === 1, 'the event to be found');
    expect(idsOf(await find({ subscriptionType: 'order.*', filter: '{"data.total": 1000}' }))).to.deep.equal([
      'wanted',
    ]);
    expect(idsOf(await find({ id: 'wanted', filter: '{"data.total": 1}' }))).to.deep.equal([]);
    expect(await find({ subscriptionType: 'order.sent' })).to.deep.equal([]);
    expect((await find({}))[0]?.id).to.equal('wanted');
  });

  it('are refused with a message for their user', async () => {
    const turningOn = (filter: string) => messageOf(connection.turnOn({ subscriptionType: 'order.paid', filter }));
    const example = 'Example: {"data.total": {"$gt": 40}}';
    expect(await turningOn('total > 40')).to.equal(`Filter: this is not JSON. ${example}`);
    expect(await turningOn('[1]')).to.equal(`Filter: this must be an object, in braces { }. ${example}`);
    const quotes = 'use straight quotation marks (") around names and texts';
    expect(await turningOn('{“data.total”: 1}')).to.equal(`Filter: ${quotes}. ${example}`);
    expect(await turningOn('{"data.total": {"$gtt": 1}}')).to.equal('filter.data.total.$gtt: unknown operator');
    expect(await messageOf(connection.samples({ filter: '{' }))).to.equal(`Filter: this is not JSON. ${example}`);
    const unknown = { filter: '{"data.total": {"$gtt": 1}}' };
    expect(await messageOf(connection.samples(unknown))).to.equal('filter.data.total.$gtt: unknown operator');

    expect((await place.admin('/tasks/deactivate', {})).status).to.equal(200);
    expect(await turningOn('')).to.match(/integration task/);
    expect((await place.admin('/tasks/activate', {})).status).to.equal(200);

    expect((await place.admin('/clients/zapier/change', { scopes: ['flows:publish'] })).status).to.equal(200);
    await pause(clientMemoryMs);
    expect(await turningOn('')).to.equal('these credentials do not have the scope listeners');
    expect((await place.admin('/clients/zapier/change', { scopes: ['listeners'] })).status).to.equal(200);
    await pause(clientMemoryMs);
  });
});
