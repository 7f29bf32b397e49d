import { readdirSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../src/http/api-description/openapi-document.js';
import { receivedCheck } from '../support/api-description/received-check.js';
import { type Receiver, startHeldReceiver, startReceiver, verify } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { runCli, runCliForJson } from '../support/service/cli.js';
import { publish, subscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { until } from '../support/until.js';

type Event = {
  id: string;
  type: string;
  orgId: string;
  data: Record<string, unknown>;
};

const environment = { RETRY_SCHEDULE: '100ms', AUTO_PAUSE_AFTER: '1s' };

describe('operational events, from outside', function () {
  this.timeout(240_000);
  let service: ServiceProcess;
  let operators: Receiver;
  let customer: Receiver;
  before(async () => {
    [operators, customer] = [await startReceiver(), await startReceiver()];
    service = await startService({ environment });
  });
  after(async () => {
    await service.stop();
    await operators.close();
    await customer.close();
  });
  const { get, post } = administratorOf(() => service);

  const bodies = ({ received }: Receiver): Event[] => received.map(({ body }) => JSON.parse(body) as Event);
  const untilReceived = (receiver: Receiver, type: string, listenerId: string) =>
    until(
      () => bodies(receiver).some((event) => event.type === type && event.data.listenerId === listenerId),
      `${type} of ${listenerId}`,
    );

  it('are off until an operator subscribes, and then name each cause once, also after a restart', async () => {
    const before = await subscribe(service, `${customer.origin}/before`);
    await post(`/listeners/${before.listenerId}/pause`);
    const { status, body } = await post('/operations/subscribe', {
      hookUrl: `${operators.origin}/operations`,
      subscriptionType: 'listener.*',
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    const paused = await subscribe(service, `${customer.origin}/paused`);
    await post(`/listeners/${paused.listenerId}/pause`);
    await untilReceived(operators, 'listener.paused', paused.listenerId);
    await service.stop('SIGKILL');
    service = await startService({ dataDirectory: service.dataDirectory, environment });
    await post(`/listeners/${paused.listenerId}/resume`);
    await untilReceived(operators, 'listener.resumed', paused.listenerId);
    await post(`/listeners/${paused.listenerId}/unsubscribe`);
    await untilReceived(operators, 'listener.removed', paused.listenerId);

    const received = bodies(operators);
    expect([...new Set(received.map(({ id }) => id))]).to.have.length(3);
    expect(received.some(({ data }) => data.listenerId === before.listenerId)).to.equal(false);
    expect(received[0]).to.deep.include({
      type: 'listener.paused',
      orgId: 'flow-hooks.operations',
      data: {
        orgId: 'acme',
        listenerId: paused.listenerId,
        hookUrl: received[0]?.data.hookUrl,
        reason: 'operator',
      },
    });
    expect(JSON.stringify(received)).to.not.include('/paused"');
    const { signingSecret } = body as { signingSecret: string };
    for (const received of operators.received) verify(received, signingSecret);
  });

  describe('while deliveries use up their attempts', () => {
    const exhausting = 'exhausting';
    let broken: Receiver;
    let listenerId: string;
    before(async () => {
      await runCliForJson(
        service.dataDirectory,
        ...['operations', 'subscribe', '--hook-url', `${operators.origin}/exhausted`, '--type', 'delivery.exhausted'],
      );
      broken = await startReceiver();
      broken.answer(500);
      ({ listenerId } = await subscribe(service, `${broken.origin}/broken`, { orgId: exhausting }));
      await subscribe(service, `${broken.origin}/own`, { orgId: exhausting, subscriptionType: 'delivery.*' });
      for (let n = 0; n < 3; n += 1) await publish(service, { orgId: exhausting, type: 'flow.done', data: { n } });
    });
    after(() => broken.close());

    it('name each step of a listener towards its pause, once', async () => {
      const slow = await startHeldReceiver();
      const { listenerId } = await subscribe(service, `${slow.origin}/failing`, { orgId: 'failing' });
      for (let n = 0; n < 24; n += 1) await publish(service, { orgId: 'failing', type: 'flow.done', data: { n } });
      await slow.holds(24); // before the circuit breaker opens
      await slow.release(500, 12);
      await pause(1_200); // what the setting says
      await slow.release(500);
      await untilReceived(operators, 'listener.paused', listenerId);
      const steps = bodies(operators).filter(
        ({ type, data }) => type === 'listener.failing' && data.listenerId === listenerId,
      );
      const percents = steps.map(({ data }) => Number(data.percent));
      expect(percents.toSorted((one, other) => one - other)).to.deep.equal(
        [...new Set(percents)].toSorted((a, b) => a - b),
      );
      expect(percents).to.include(100);
      expect(steps[0]?.data).to.include({ orgId: 'failing' });
      await slow.close();
    });

    it('tell of a replay that is finished, and of a damaged view, which is built again', async () => {
      for (const subscriptionType of ['replay.finished', 'view.damaged'])
        await post('/operations/subscribe', { hookUrl: `${operators.origin}/${subscriptionType}`, subscriptionType });
      const orgId = 'replaying';
      const { listenerId } = await subscribe(service, `${customer.origin}/replaying`, { orgId });
      await publish(service, { orgId, id: 'replayed', type: 'flow.done', data: {} });
      await until(() => bodies(customer).some(({ id }) => id === 'replayed'), 'the delivery');
      const { id: replayId } = (await post('/replays', { orgId, listenerId })).body as { id: string };
      await untilReceived(operators, 'replay.finished', listenerId);
      const [finished] = bodies(operators).filter(({ type }) => type === 'replay.finished');
      expect(finished?.data).to.deep.equal({ orgId, listenerId, replayId, outcome: 'completed', enqueued: 1 });

      await service.stop();
      const views = join(service.dataDirectory, 'read-models');
      for (const file of readdirSync(views).filter((name) => /^listeners-v.*\.db$/.test(name)))
        truncateSync(join(views, file), 0);
      service = await startService({ dataDirectory: service.dataDirectory, environment });
      const damaged = () => bodies(operators).filter(({ type }) => type === 'view.damaged');
      await until(() => damaged().length > 0, 'view.damaged');
      expect(damaged()[0]?.data).to.include({ view: 'listeners' });
      expect(new Set(damaged().map(({ id }) => id)).size).to.equal(1);
    });

    it('reach customers for their own listeners, and no listener of all events', async () => {
      const orgId = 'customer';
      await subscribe(service, `${customer.origin}/all`, { orgId, subscriptionType: '*' });
      await subscribe(service, `${customer.origin}/own`, { orgId, subscriptionType: 'secret.rotated' });
      const { listenerId } = await subscribe(service, `${customer.origin}/flows`, { orgId });
      const other = await subscribe(service, `${customer.origin}/other`, { orgId: 'another' });
      await post(`/listeners/${other.listenerId}/rotate-secret`);
      await post(`/listeners/${listenerId}/rotate-secret`);
      await untilReceived(customer, 'secret.rotated', listenerId);
      await publish(service, { orgId, type: 'last', data: {} });
      await until(
        () => customer.received.some(({ path, body }) => path === '/all' && body.includes('"last"')),
        'the last',
      );
      expect(customer.received.filter(({ path }) => path === '/all')).to.have.length(1);
      const own = customer.received.filter(({ path }) => path === '/own').map(({ body }) => JSON.parse(body) as Event);
      expect(own.map(({ orgId, data }) => [orgId, data.listenerId])).to.eql([[orgId, listenerId]]);
    });

    it('are erased with the organisation that they are about', async () => {
      const orgId = 'erased';
      await post('/operations/subscribe', {
        hookUrl: `${operators.origin}/erased`,
        subscriptionType: 'organisation.erased',
      });
      const { listenerId } = await subscribe(service, `${customer.origin}/erased`, { orgId });
      await post(`/listeners/${listenerId}/pause`);
      await untilReceived(operators, 'listener.paused', listenerId);
      const { status, body } = await post('/organisations/erase', { orgId, confirm: orgId });
      expect(status).to.equal(200);
      expect((body as { flowStreams: number }).flowStreams).to.be.at.least(1); // a second pass if the removal was published before
      const { organisation } = body as { organisation: string };
      await until(
        () => bodies(operators).some(({ data }) => data.organisation === organisation),
        'organisation.erased',
      );
      const left = await get('/flows?orgId=flow-hooks.operations&limit=100');
      expect(left.status).to.equal(200);
      expect(JSON.stringify(left.body)).to.include('listener.paused').and.not.include(listenerId);
    });

    it('are of an organisation that callers cannot be members of', async () => {
      const refused = await service.fetch('/api/hooks/subscribe/flows', {
        headers: { orgid: 'flow-hooks.operations', userid: 'ada' },
        json: { hookUrl: `${customer.origin}/stolen`, subscriptionType: 'listener.*' },
      });
      expect([refused.status, (refused.body as { error: string }).error]).to.eql([403, 'forbidden']);
      const wrong = await post('/operations/subscribe', { hookUrl: `${operators.origin}/x`, subscriptionType: '*' });
      expect(wrong.status).to.equal(400);
      const types = (await get('/operations/event-types')).body as { items: readonly { name: string }[] };
      expect(types.items.map(({ name }) => name)).to.include.members(['listener.failing', 'view.damaged']);
      expect((await runCli(service.dataDirectory, 'operations', 'types')).stdout).to.match(/replay\.finished/);
    });

    it('count those of a minute, and cause no further ones', async () => {
      const found = () =>
        bodies(operators).filter(({ type, data }) => type === 'delivery.exhausted' && data.orgId === exhausting);
      await until(() => found().length > 0, 'the count', { limitMs: 180_000 });
      expect(found().every(({ data }) => data.listenerId === listenerId)).to.equal(true);
      expect(found().reduce((sum, { data }) => sum + Number(data.count), 0)).to.be.within(1, 3);
    });

    it('are sent, as flow events are, in the requests that the API description has', async () => {
      const isDescribed = receivedCheck((await service.fetch('/openapi.json')).body as OpenApiDocument);
      for (const { headers, body } of [...operators.received, ...customer.received])
        isDescribed({ headers, body: JSON.parse(body) as Event });
      const types = [...bodies(operators), ...bodies(customer)].map(({ type }) => type);
      expect(types).to.include.members(['flow.done', 'listener.failing', 'organisation.erased', 'secret.rotated']);
    });
  });
});
