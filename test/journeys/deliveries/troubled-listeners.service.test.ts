import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type Receiver,
  startHeldReceiver,
  startReceiver,
  verify,
} from '../../support/receivers-of-listeners/receiver.js';
import type { Received } from '../../support/serve.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCliForJson } from '../../support/service/cli.js';
import { publish, type Subscription, subscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Row = Readonly<Record<string, unknown>>;

const environment = { AUTO_PAUSE_AFTER: '1s', RETRY_SCHEDULE: '1h' };

describe('treatment of listeners in trouble', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  let receiver: Receiver;
  let slow: Receiver;

  before(async () => {
    receiver = await startReceiver();
    slow = await startHeldReceiver();
    service = await startService({ environment });
  });
  after(async () => {
    await service?.stop();
    await receiver.close();
    await slow.close();
  });
  beforeEach(() => receiver.answer(200));

  const cli = async (...args: readonly string[]) =>
    (await runCliForJson(service.dataDirectory, ...args)) as readonly Row[];
  const deliveriesOf = async (org: string) =>
    ((await administratorOf(() => service).get(`/deliveries?orgId=${org}`)).body as { items: readonly Row[] }).items;
  const become = (org: string, state: string, count: number) =>
    until(
      async () => (await deliveriesOf(org)).filter((each) => each.state === state).length === count,
      `${count} of ${org} to be ${state}`,
    );

  it('pauses one without successes, holds its events, and delivers all once it is resumed', async () => {
    const orgId = 'failing';
    const { listenerId } = await subscribe(service, `${slow.origin}/failing`, { orgId });
    for (let n = 0; n < 24; n += 1) await publish(service, { orgId, type: 'flow.done', data: { n } });
    await slow.holds(24); // all of them are under way before the circuit breaker opens
    await slow.release(500, 12);
    await until(
      async () => (await deliveriesOf(orgId)).filter(({ attempts }) => attempts === 1).length === 12,
      'the first failures',
    );
    await pause(1_100); // what the setting says
    await slow.release(500);
    await become(orgId, 'held', 24);

    const history = await cli('audit', 'history', '--org', orgId);
    expect(history.find(({ type }) => type === 'ListenerPaused')).to.include({ actor: 'service', reason: 'failing' });
    await publish(service, { orgId, type: 'flow.done', data: {} });
    await become(orgId, 'held', 25);

    // At once: its breaker is closed, and its failures are forgotten.
    const [resumed] = await cli('listeners', 'resume', listenerId, '--redeliver-held');
    expect(resumed).to.include({ state: 'active', redelivered: 25, held: 0 });
    await slow.holds(25);
    await slow.release(200);
    await become(orgId, 'succeeded', 25);
  });

  it('removes one that answers 410, with its waiting deliveries', async () => {
    const orgId = 'gone';
    await subscribe(service, `${receiver.origin}/gone`, { orgId });
    receiver.answer(500);
    await publish(service, { orgId, type: 'flow.done', data: {} });
    await until(async () => (await deliveriesOf(orgId))[0]?.attempts === 1, 'an attempt');
    receiver.answer(410);
    await publish(service, { orgId, type: 'flow.done', data: {} });
    const first = async () => (await deliveriesOf(orgId)).at(-1); // those of the latest flow events come first
    await until(async () => (await first())?.state === 'cancelled', 'what waits to be cancelled');
    expect(await first()).to.include({ attempts: 1, lastStatus: 500 });
    const history = await cli('audit', 'history', '--org', orgId);
    expect(history.at(-1)).to.include({ type: 'ListenerUnsubscribed', actor: 'service', reason: 'gone' });
    expect((await cli('listeners', 'list', '--org', orgId)).length).to.equal(0);
  });

  it('sends one a sample, signed with both secrets while a rotation overlaps', async () => {
    const { listenerId, signingSecret } = await subscribe(service, `${receiver.origin}/tried`, { orgId: 'tried' });
    const [rotated] = await cli('listeners', 'rotate-secret', listenerId);
    const [sent] = await cli('listeners', 'test', listenerId);
    expect(sent).to.include({ state: 'succeeded' });
    const received = receiver.received.find(({ path }) => path === '/tried') as Received;
    for (const secret of [signingSecret, (rotated as unknown as Subscription).signingSecret]) verify(received, secret);
  });
});
