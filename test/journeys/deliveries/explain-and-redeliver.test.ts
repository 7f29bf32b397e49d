import { expect } from 'chai';
import { forgottenReader, positionOf } from '../../../src/queue/reader-positions.js';
import { openSqliteDeliveryQueue } from '../../../src/queue/sqlite/sqlite-delivery-queue.js';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCliForJson } from '../../support/service/cli.js';
import { runCommand, runCommandForJson } from '../../support/service/cli-in-process.js';
import { publish, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

type Item = Readonly<Record<string, unknown>>;
type Page = { items: readonly Item[]; next: string | null };

describe("operators' queries and commands on deliveries, from outside", () => {
  let service: ServiceProcess;
  let good: Receiver;
  let bad: Receiver;

  before(async () => {
    good = await startReceiver();
    bad = await startReceiver();
    bad.answer(500);
    // Two attempts, and what has ended is kept for longer than this takes, but for the retention's own test.
    service = await startService({ environment: { RETRY_SCHEDULE: '10ms' } });
  });
  after(async () => {
    await service.stop();
    await good.close();
    await bad.close();
  });

  const { get, post } = administratorOf(() => service);
  const list = async (query: string) => (await get(`/deliveries?${query}`)).body as Page;
  const deadLetters = async (orgId: string) => (await list(`orgId=${orgId}&state=exhausted`)).items;
  async function explain(eventId: string, request: object): Promise<readonly Item[]> {
    const { status, body } = await post(`/flows/${eventId}/explain`, request);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as Page).items;
  }

  it('explains the outcome of an event for each listener, as of its time', async () => {
    const orgId = 'explained';
    const url = (path: string) => `${good.origin}/${path}`;
    const removed = await subscribe(service, url('removed'), { orgId });
    await unsubscribe(service, url('removed'), orgId);
    const got = await subscribe(service, url('got'), { orgId });
    const otherType = await subscribe(service, url('other-type'), { orgId, subscriptionType: 'flow.failed' });
    const failing = await subscribe(service, `${bad.origin}/failing`, { orgId });
    await publish(service, { orgId, id: 'explained-1', type: 'flow.completed', data: 1 });
    await until(async () => (await deadLetters(orgId)).length === 1, 'a dead letter');
    await until(async () => (await list(`orgId=${orgId}&state=succeeded`)).items.length === 1, 'a delivery');
    const late = await subscribe(service, url('late'), { orgId });

    const items = await explain('explained-1', { orgId });
    const outcomes = Object.fromEntries(items.map(({ listenerId, outcome }) => [listenerId, outcome]));
    expect(outcomes).to.eql({
      [removed.listenerId]: 'not-subscribed',
      [got.listenerId]: 'delivered',
      [otherType.listenerId]: 'type-mismatch',
      [failing.listenerId]: 'dead-letter',
      [late.listenerId]: 'not-subscribed',
    });
    expect(JSON.stringify(items), 'URLs are masked').not.to.match(/\/(got|late|removed|failing)"/);

    const [byUrl] = await explain('explained-1', { orgId, hookUrl: `${bad.origin}/failing` });
    expect(byUrl).to.include({ listenerId: failing.listenerId, hookUrl: `${bad.origin}/failing` });
    const [delivery] = (byUrl?.deliveries ?? []) as { attempts: { status: number; error: string }[] }[];
    expect(delivery?.attempts.map(({ status, error }) => [status, error])).to.eql([
      [500, 'http_status'],
      [500, 'http_status'],
    ]);

    const command = ['flows', 'explain', 'explained-1', '--org', orgId];
    expect(await runCliForJson(service.dataDirectory, ...command)).to.eql(items);
    const { stdout } = await runCommand(service.dataDirectory, ...command, '--listener', late.listenerId);
    expect(stdout).to.match(/not-subscribed +the listener was subscribed later, at .* by user:ada/);
  });

  it('names what it searched if no such event or listener is known', async () => {
    const unknown = await post('/flows/never/explain', { orgId: 'explained' });
    expect(unknown).to.deep.include({ status: 404 });
    expect(unknown.body).to.include({ error: 'flow_event_not_found' });
    expect(await runCommand(service.dataDirectory, 'flows', 'explain', 'never', '--org', 'explained')).to.include({
      code: 1,
    });
    const hookUrl = 'https://nobody.example/hook';
    expect((await post('/flows/explained-1/explain', { orgId: 'explained', hookUrl })).status).to.equal(404);
    expect((await post(`/flows/explained-1/explain?hookUrl=${hookUrl}`, { orgId: 'other' })).status).to.equal(404);
  });

  it('redelivers dead letters one by one and by filter, and keeps counting their attempts', async () => {
    const orgId = 'redelivered';
    const { listenerId } = await subscribe(service, `${bad.origin}/redelivered`, { orgId });
    for (const id of ['r-1', 'r-2', 'r-3']) await publish(service, { orgId, id, type: 'flow.completed', data: id });
    await publish(service, { orgId, id: 'r-4', type: 'flow.failed', data: 4 });
    await until(async () => (await deadLetters(orgId)).length === 4, 'dead letters');
    bad.answer(200);
    const [first] = (await list(`orgId=${orgId}&eventId=r-1`)).items;
    const one = await post(`/deliveries/${first?.id}/redeliver`, { orgId });
    expect(one).to.deep.include({ status: 200 });
    const delivered = async () => (await list(`orgId=${orgId}&state=succeeded`)).items.length;
    await until(async () => (await delivered()) === 1, 'one to be delivered');
    const shown = (await get(`/deliveries/${first?.id}?orgId=${orgId}`)).body as { attempts: number; log: Item[] };
    expect(shown).to.include({ state: 'succeeded', attempts: 3, lastStatus: 200 });
    expect(shown.log.map(({ status }) => status)).to.eql([500, 500, 200]);
    expect(await runCommandForJson(service.dataDirectory, 'deliveries', 'show', `${first?.id}`, '--org', orgId)).to.eql(
      [shown],
    );

    const step = await post('/deliveries/redeliver', { orgId, type: 'flow.failed' });
    expect(step.body).to.eql({ redelivered: 1, leftOut: 0, next: null });
    await until(async () => (await delivered()) === 2, 'those of a type to be delivered');
    const all = await runCommand(
      service.dataDirectory,
      'deliveries',
      'redeliver',
      '--org',
      orgId,
      '--listener',
      listenerId,
    );
    expect(all.stdout).to.equal('2 deliveries are due now\n');
    await until(async () => (await delivered()) === 4, 'all to be delivered');
    const again = await post(`/deliveries/${first?.id}/redeliver`, { orgId });
    expect(again, 'one that was delivered runs again too').to.deep.include({ status: 200 });
    await until(
      async () => ((await get(`/deliveries/${first?.id}?orgId=${orgId}`)).body as Item).attempts === 4,
      'it to run again',
    );
    const [explained] = await explain('r-1', { orgId });
    expect(explained?.because).to.match(
      /^the listener answered 200 .*, at attempt 3; it has been redelivered .*, at attempt 4$/,
    );

    await unsubscribe(service, `${bad.origin}/redelivered`, orgId);
    const refused = await post(`/deliveries/${first?.id}/redeliver`, { orgId });
    expect(refused).to.deep.include({ status: 409 });
    expect(refused.body).to.include({ error: 'listener_not_registered' });
    expect((await post('/deliveries/nothing/redeliver', { orgId })).body).to.include({ error: 'delivery_not_found' });
    for (const filter of [{ type: 'x' }, { states: ['exhausted'] }]) {
      expect((await post('/deliveries/redeliver', { orgId, ids: ['a'], ...filter })).status).to.equal(400);
    }
    expect(await runCommand(service.dataDirectory, 'deliveries', 'redeliver', '--org', orgId)).to.include({ code: 2 });
  });

  it('searches page by page, and counts attempts by listener and day', async () => {
    const orgId = 'redelivered';
    const first = await list(`orgId=${orgId}&limit=3`);
    expect(first.items).to.have.length(3);
    const second = await list(`orgId=${orgId}&limit=3&after=${encodeURIComponent(first.next ?? '')}`);
    expect([...first.items, ...second.items]).to.have.length(4);
    expect((await list(`orgId=${orgId}&type=flow.failed`)).items).to.have.length(1);
    const tomorrow = encodeURIComponent(new Date(Date.now() + 86_400_000).toISOString());
    expect((await list(`orgId=${orgId}&from=${tomorrow}`)).items).to.eql([]);
    expect((await list(`orgId=${orgId}&to=${tomorrow}`)).items).to.have.length(4);

    const { body } = await get(`/stats?orgId=${orgId}`);
    expect((body as { total: Item }).total).to.include({ attempts: 13, succeeded: 5, failed: 8, exhausted: 4 });
    const { listeners } = body as { listeners: (Item & { listenerId: string })[] };
    expect(listeners).to.have.length(1);
    const ofListener = (await get(`/stats?orgId=${orgId}&listenerId=${listeners[0]?.listenerId}`)).body;
    const { halfHours } = ofListener as { halfHours: { succeeded: number; exhausted: number }[] };
    expect(halfHours.reduce((sum, { succeeded, exhausted }) => sum + succeeded + exhausted, 0)).to.equal(5 + 4);
    expect(await runCommandForJson(service.dataDirectory, 'deliveries', 'stats', '--org', orgId)).to.eql([body]);
    expect((await get(`/stats?orgId=${orgId}&from=yesterday`)).status).to.equal(400);
  });

  it('forgets final deliveries after DELIVERY_RETENTION, and explains so', async () => {
    const orgId = 'redelivered';
    await service.stop();
    service = await startService({
      dataDirectory: service.dataDirectory,
      environment: { RETRY_SCHEDULE: '10ms', DELIVERY_RETENTION: '1s' },
    });
    await until(async () => (await list(`orgId=${orgId}`)).items.length === 0, 'the log to be forgotten');
    const [listener] = await explain('r-1', { orgId });
    expect(listener).to.include({ outcome: 'purged' });
  });

  it('says the same of an event whose id has been forgotten after PUBLISH_MEMORY', async () => {
    const orgId = 'redelivered';
    await service.stop();
    const environment = { RETRY_SCHEDULE: '10ms', DELIVERY_RETENTION: '1s', PUBLISH_MEMORY: '1s' };
    service = await startService({ dataDirectory: service.dataDirectory, environment });
    const queue = openSqliteDeliveryQueue({ directory: service.dataDirectory });
    await until(async () => (await positionOf(queue, forgottenReader)) !== undefined, 'ids to be forgotten');
    const known = { orgId, after: -1n, upTo: 2n ** 62n, limit: 10 };
    await until(async () => (await queue.events(known)).length === 0, 'all ids to be forgotten');
    await queue.close();
    const [listener] = await explain('r-1', { orgId });
    expect(listener).to.include({ outcome: 'purged' });
  });
});
