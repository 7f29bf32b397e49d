import { expect } from 'chai';
import { type Receiver, startReceiver, verify } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, type Subscription, signIn, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Sent = {
  deliveryId: string;
  state: string;
  attempt: Readonly<Record<string, unknown>> | null;
};

describe('listeners that fail and listeners that are tried out, from outside', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService({
      environment: { NOTIFY_REMOVED: 'true', RETRY_SCHEDULE: '3s,1h', LOG_LEVEL: 'info' },
    });
    await signIn(service);
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });
  beforeEach(() => receiver.answer(200));

  const administrator = administratorOf(() => service);
  const post = (path: string) =>
    administrator.post(path) as Promise<{ status: number; body: Sent & { error?: string } }>;
  const received = (path: string) => receiver.received.filter((each) => each.path === path);
  const deliveriesTo = async ({ listenerId }: Subscription) => {
    const { body } = await administrator.get(`/deliveries?orgId=acme&listenerId=${listenerId}`);
    return (body as { items: readonly Readonly<Record<string, unknown>>[] }).items;
  };

  it('sends a sample, signed as every delivery, and reports the outcome', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/try`, { subscriptionType: 'order.*' });
    const { status, body } = await post(`/listeners/${subscription.listenerId}/test`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ state: 'succeeded' });
    expect(body.attempt).to.include({ status: 200, error: null, address: '127.0.0.1' });
    const [delivery] = received('/try');
    if (!delivery) throw new Error('it was there');
    expect(verify(delivery, subscription.signingSecret)).to.include({ type: 'order.sample', orgId: 'acme' });
  });

  it('sends it once, however that ends', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/try-once`);
    receiver.answer(500);
    const { status, body } = await post(`/listeners/${subscription.listenerId}/test`);
    expect(status).to.equal(200);
    expect(body.attempt).to.include({ status: 500, error: 'http_status' });
    await until(async () => (await deliveriesTo(subscription))[0]?.state === 'cancelled', 'the end of it');
    expect(received('/try-once')).to.have.length(1);
  });

  it('sends it from the command line too', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/try-cli`);
    const [sent] = (await runCliForJson(service.dataDirectory, 'listeners', 'test', subscription.listenerId)) as Sent[];
    expect(sent).to.deep.include({ state: 'succeeded' });
    expect(received('/try-cli')).to.have.length(1);
  });

  it('says from the command line, and by its exit code, that nothing was sent where no service runs', async () => {
    const stopped = await startService();
    const { listenerId } = await subscribe(stopped, `${receiver.origin}/try-alone`);
    await stopped.stop();
    const { code, stdout, stderr } = await runCli(stopped.dataDirectory, 'listeners', 'test', listenerId);
    expect(code).to.equal(1);
    expect(stdout).to.include('cancelled');
    expect(stderr).to.match(/^flow-hooks: the sample was not sent: no service leased it, or .*\n$/);
    expect(received('/try-alone')).to.have.length(0);
  });

  it('sends none to a listener that is paused, removed or was never there', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/try-paused`);
    expect((await post(`/listeners/${subscription.listenerId}/pause`)).status).to.equal(200);
    const paused = await post(`/listeners/${subscription.listenerId}/test`);
    expect([paused.status, paused.body.error]).to.deep.equal([409, 'listener_paused']);
    await unsubscribe(service, `${receiver.origin}/try-paused`);
    const removed = await post(`/listeners/${subscription.listenerId}/test`);
    expect([removed.status, removed.body.error]).to.deep.equal([409, 'listener_not_registered']);
    expect((await post('/listeners/3f8dfa2c-1ad3-4f6e-8b43-4c29f5bb1b0e/test')).status).to.equal(404);
    expect(received('/try-paused')).to.have.length(0);
  });

  it('notifies the platform of a listener that an operator removed, and not of one that was unsubscribed or answered 410', async () => {
    const removed = await subscribe(service, `${receiver.origin}/removed`);
    await subscribe(service, `${receiver.origin}/unsubscribed`);
    await unsubscribe(service, `${receiver.origin}/unsubscribed`);
    const gone = await subscribe(service, `${receiver.origin}/gone`);
    const last = await subscribe(service, `${receiver.origin}/removed-last`, { subscriptionType: 'flow.never' });
    receiver.answer(410);
    expect((await post(`/listeners/${removed.listenerId}/unsubscribe`)).status).to.equal(200);
    await until(() => received('/removed').length === 1, 'the notice');
    expect(received('/removed')[0]).to.include({ method: 'DELETE', body: '' });
    await publish(service, { type: 'flow.completed', data: {} });
    const endOfGone = async () => (await administrator.get(`/listeners/${gone.listenerId}`)).body;
    await until(
      async () => ((await endOfGone()) as { endReason: string | null }).endReason === 'gone',
      'the end by the 410',
    );
    expect((await post(`/listeners/${last.listenerId}/unsubscribe`)).status).to.equal(200);
    await until(() => received('/removed-last').length === 1, 'a notice that comes after those of the others');
    expect(received('/gone').map(({ method }) => method)).to.deep.equal(['POST']);
    expect(received('/unsubscribed').length).to.equal(0);
    await until(() => service.printed().includes('notified a platform of the removal of its listener'), 'the log');
    expect(service.printed()).not.to.include(`${receiver.origin}/removed`);
  });

  it('notifies it also if the operator removes the listener on the command line, with the same settings', async () => {
    const { listenerId } = await subscribe(service, `${receiver.origin}/removed-by-cli`);
    const place = { DATA_DIR: service.dataDirectory, NOTIFY_REMOVED: 'true' };
    const unsubscribeByCli = async () => (await runCliForJson(place, 'listeners', 'unsubscribe', listenerId))[0];
    expect(await unsubscribeByCli()).to.deep.include({ state: 'unsubscribed' });
    expect(await unsubscribeByCli()).to.deep.include({ changed: [] });
    expect(received('/removed-by-cli').map(({ method }) => method)).to.deep.equal(['DELETE']);
  });

  it('notifies it when its organisation is erased, by the service or on the command line', async () => {
    await subscribe(service, `${receiver.origin}/erased`, { orgId: 'erased' });
    const erasure = await administrator.post('/organisations/erase', { orgId: 'erased', confirm: 'erased' });
    expect(erasure.status, JSON.stringify(erasure.body)).to.equal(200);
    await until(() => received('/erased').length === 1, 'the notice');
    expect(received('/erased')[0]).to.include({ method: 'DELETE', body: '' });

    for (const name of ['taken', 'refused']) {
      receiver.answer(name === 'taken' ? 200 : 404);
      const orgId = `${name}-by-cli`;
      await subscribe(service, `${receiver.origin}/${orgId}`, { orgId });
      const place = { DATA_DIR: service.dataDirectory, NOTIFY_REMOVED: 'true' };
      const { code, stderr } = await runCli(place, 'orgs', 'erase', orgId, '--yes', orgId);
      expect(code, stderr).to.equal(0);
      const warning =
        /^flow-hooks: a platform refused the notice of the removal of its listener: \S+ \(answered 404\)\n$/;
      expect(stderr).to.match(name === 'taken' ? /^$/ : warning);
      expect(received(`/${orgId}`).map(({ method }) => method)).to.deep.equal(['DELETE']);
    }
    expect(service.printed()).not.to.include(`${receiver.origin}/erased`);
  });

  it('keeps to the schedule that is configured', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/retried`, { subscriptionType: 'flow.retried' });
    receiver.answer(500);
    await publish(service, { type: 'flow.retried', data: {} });
    await until(() => received('/retried').length === 2, 'the second attempt');
    await until(async () => (await deliveriesTo(subscription))[0]?.attempts === 2, 'its outcome');
    const [delivery] = await deliveriesTo(subscription);
    expect(Date.parse(String(delivery?.dueAt)) - Date.now()).to.be.within(3_900_000, 4_320_000);
    const [first, second] = received('/retried');
    expect((second?.at ?? 0) - (first?.at ?? 0)).to.be.at.least(1_050);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
  });

  it('lists the reason of each wait, under the published id, over HTTP and on the command line', async () => {
    const subscription = await subscribe(service, `${receiver.origin}/waits`, {
      subscriptionType: 'flow.waits',
      ordered: true,
    });
    const { listenerId } = subscription;
    receiver.answer(500);
    for (const id of ['w-1', 'w-2']) await publish(service, { type: 'flow.waits', id, data: {} });
    await until(async () => (await deliveriesTo(subscription)).some(({ attempts }) => attempts === 2), 'two attempts');
    const [behind, head] = await deliveriesTo(subscription);
    expect(head).to.include({ eventId: 'w-1', waitsFor: 'schedule', waitsUntil: head?.dueAt });
    expect(behind).to.include({ eventId: 'w-2', waitsFor: 'order', waitsUntil: null });
    const filter = ['--org', 'acme', '--listener', listenerId];
    expect(await runCliForJson(service.dataDirectory, 'deliveries', 'list', ...filter)).to.deep.equal([behind, head]);

    const shown = await administrator.get(`/deliveries/${head?.id}?orgId=acme`);
    expect(shown.body).to.include({ eventId: 'w-1', storeEventId: head?.storeEventId, waitsFor: 'schedule' });
    const show = await runCli(service.dataDirectory, 'deliveries', 'show', String(head?.id), '--org', 'acme');
    expect(show.stdout).to.match(/^waitsFor +schedule$/m);

    const { stdout } = await runCli(service.dataDirectory, 'deliveries', 'list', ...filter);
    const [heading = '', ...rows] = stdout.trimEnd().split('\n');
    expect(heading).to.match(/^EVENT +LISTENER +STATE +WAITS FOR +UNTIL +ATTEMPTS +LAST ATTEMPT +STATUS +ERROR +ID$/);
    const parts = rows.map((row) => row.slice(0, heading.indexOf('ATTEMPTS')).trimEnd().split(/ {2,}/));
    expect(parts).to.deep.equal([
      ['w-2', listenerId, 'waiting', 'order'],
      ['w-1', listenerId, 'waiting', 'schedule', String(head?.dueAt)],
    ]);
  });
});
