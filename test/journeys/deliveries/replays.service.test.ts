import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Receiver, startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../../support/service/administrator.js';
import { runCli, runCliForJson } from '../../support/service/cli.js';
import { publish, subscribe, unsubscribe } from '../../support/service/journey.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

/** Maximum time by which a timer may be early, for each of a few pauses. */
const timersMs = 10;

type Replay = {
  id: string;
  state: string;
  lookedAt: number;
  enqueued: number;
  percent: number;
};

const idsAt = (receiver: Receiver, path: string): string[] =>
  receiver.received.filter((post) => post.path === path).map(({ body }) => (JSON.parse(body) as { id: string }).id);

describe('replaying past flow events, from outside', function () {
  this.timeout(180_000);
  let service: ServiceProcess;
  let receiver: Receiver;

  before(async () => {
    receiver = await startReceiver();
    service = await startService();
  });
  after(async () => {
    await service.stop();
    await receiver.close();
  });

  const { get, post } = administratorOf(() => service);
  const show = async (id: string): Promise<Replay> => (await get(`/replays/${id}`)).body as Replay;
  const ended = (id: string) => until(async () => (await show(id)).state !== 'running', 'the replay to end');
  async function startReplay(request: object): Promise<Replay> {
    const { status, body } = await post('/replays', request);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as Replay;
  }

  it('sends events from before a subscription to that listener alone, under their original ids', async () => {
    const orgId = 'late';
    await subscribe(service, `${receiver.origin}/early`, { orgId });
    for (const id of ['e-1', 'e-2', 'e-3']) await publish(service, { orgId, id, type: 'flow.completed', data: id });
    await publish(service, { orgId, id: 'e-4', type: 'flow.failed', data: 4 });
    await until(() => idsAt(receiver, '/early').length === 4, 'the early listener to have all');

    const { listenerId } = await subscribe(service, `${receiver.origin}/late`, { orgId });
    const { id } = await startReplay({ orgId, listenerId, type: 'flow.completed' });
    await ended(id);
    expect(await show(id)).to.include({ state: 'completed', lookedAt: 4, enqueued: 3, percent: 100 });
    await until(() => idsAt(receiver, '/late').length >= 3, 'the late listener to have them');
    expect(idsAt(receiver, '/late')).to.have.members(['e-1', 'e-2', 'e-3']);
    expect(idsAt(receiver, '/early')).to.have.length(4);

    const again = await startReplay({ orgId, listenerId, eventId: 'e-2' });
    await ended(again.id);
    await until(() => idsAt(receiver, '/late').length === 4, 'the one event again');
    const webhookIds = receiver.received
      .filter(({ path, body }) => path === '/late' && body.includes('"e-2"'))
      .map(({ headers }) => headers['webhook-id']);
    expect(new Set(webhookIds)).to.have.property('size', 1);
    expect(webhookIds).to.have.length(2);

    const listed = async () => ((await get(`/replays?orgId=${orgId}`)).body as { items: Replay[] }).items;
    await until(async () => (await listed()).every(({ state }) => state === 'completed'), 'the view to come as far');
    expect((await listed()).map((replay) => replay.id)).to.eql([id, again.id]);
    expect(await listed()).to.eql(await runCliForJson(service.dataDirectory, 'replays', 'list', '--org', orgId));
  });

  it('sends events recorded in a period, also to a listener that has subscribed since', async () => {
    const orgId = 'within';
    await subscribe(service, `${receiver.origin}/all-along`, { orgId });
    const publishAll = async (...ids: readonly string[]) => {
      for (const id of ids) await publish(service, { orgId, id, type: 'flow.completed', data: id });
      await pause(5); // what comes next has another time
    };
    await publishAll('w-1', 'w-2');
    const from = new Date().toISOString();
    await publishAll('w-3', 'w-4', 'w-5');
    const to = new Date().toISOString();
    await pause(5);
    await publishAll('w-6');
    await until(() => idsAt(receiver, '/all-along').length === 6, 'the early listener to have all');

    const { listenerId } = await subscribe(service, `${receiver.origin}/since`, { orgId });
    const ranges: [range: { from?: string; to?: string }, ids: string[]][] = [
      [{ from, to }, ['w-3', 'w-4', 'w-5']],
      [{ to }, ['w-1', 'w-2', 'w-3', 'w-4', 'w-5']],
      [{ from }, ['w-3', 'w-4', 'w-5', 'w-6']],
    ];
    for (const [range, ids] of ranges) {
      const before = idsAt(receiver, '/since').length;
      const { id } = await startReplay({ orgId, listenerId, ...range });
      await ended(id);
      expect(await show(id)).to.include({ state: 'completed', enqueued: ids.length, percent: 100 });
      await until(() => idsAt(receiver, '/since').length >= before + ids.length, 'the late listener to have them');
      expect(idsAt(receiver, '/since').slice(before)).to.have.members(ids);
    }
    expect(idsAt(receiver, '/all-along')).to.have.length(6);
  });

  it('sends no more a second than it may', async () => {
    const orgId = 'paced';
    const [count, ratePerSecond, atOnce] = [50, 20, 10];
    for (let index = 0; index < count; index += 1)
      await publish(service, { orgId, type: 'flow.completed', data: index });
    const { listenerId } = await subscribe(service, `${receiver.origin}/paced`, { orgId });
    const began = Date.now();
    const { id } = await startReplay({ orgId, listenerId, ratePerSecond });
    await ended(id);
    await until(() => idsAt(receiver, '/paced').length === count, 'all of it');
    const after = receiver.received.filter(({ path }) => path === '/paced').map(({ at }) => at - began);
    for (const [index, ms] of after.entries()) {
      const earliest = (Math.floor(index / atOnce) * atOnce * 1_000) / ratePerSecond;
      expect(ms, `number ${index}`).to.be.at.least(earliest - timersMs);
    }
  });

  it('continues after a kill, and sends each event once', async () => {
    const orgId = 'killed';
    const count = 60;
    const ids = Array.from({ length: count }, (_, index) => `k-${index}`);
    for (const id of ids) await publish(service, { orgId, id, type: 'flow.completed', data: id });
    const { listenerId } = await subscribe(service, `${receiver.origin}/killed`, { orgId });
    const { id } = await startReplay({ orgId, listenerId, ratePerSecond: 20 });
    await until(() => idsAt(receiver, '/killed').length >= 20, 'a part of the replay');
    await service.stop('SIGKILL');
    const before = idsAt(receiver, '/killed').length;
    expect(before).to.be.lessThan(count);
    service = await startService({ dataDirectory: service.dataDirectory });
    await until(async () => (await show(id)).state === 'completed', 'the replay to complete');
    expect(await show(id)).to.include({ lookedAt: count, enqueued: count });
    await until(() => new Set(idsAt(receiver, '/killed')).size === count, 'all events');
    // What was under way at the kill may come twice; what was recorded does not.
    expect(idsAt(receiver, '/killed').length).to.be.lessThan(count + before);
  });

  it('ends when it is cancelled, with its waiting deliveries, and when its listener is removed', async () => {
    const orgId = 'cancelled';
    for (let index = 0; index < 30; index += 1) await publish(service, { orgId, type: 'flow.completed', data: index });
    const { listenerId } = await subscribe(service, `${receiver.origin}/cancelled`, { orgId });
    const { id } = await startReplay({ orgId, listenerId, ratePerSecond: 4 });
    await until(() => idsAt(receiver, '/cancelled').length >= 2, 'its first deliveries');
    const cancelled = await runCli(service.dataDirectory, 'replays', 'cancel', id);
    expect(cancelled.stderr).to.equal('');
    expect(cancelled.stdout).to.include('is cancelled');
    expect((await post(`/replays/${id}/cancel`)).body).to.include({ state: 'cancelled', cancelled: 0 });
    const got = idsAt(receiver, '/cancelled').length;
    expect(got).to.be.lessThan(30);

    const other = await startReplay({ orgId, listenerId, ratePerSecond: 4 });
    await unsubscribe(service, `${receiver.origin}/cancelled`, orgId);
    await ended(other.id);
    expect(await show(other.id)).to.include({ state: 'cancelled', reason: 'removed', endedBy: 'service' });
    const refused = await post('/replays', { orgId, listenerId });
    expect(refused).to.deep.include({ status: 409 });
    expect(refused.body).to.include({ error: 'listener_not_registered' });
  });

  it('takes a start that is repeated under the same id as the same replay, and refuses invalid requests', async () => {
    const orgId = 'repeated';
    await publish(service, { orgId, id: 'once', type: 'flow.completed', data: 1 });
    const { listenerId } = await subscribe(service, `${receiver.origin}/repeated`, { orgId });
    const request = { id: randomUUID(), orgId, listenerId };
    await startReplay(request);
    await startReplay(request);
    await ended(request.id);
    expect((await show(request.id)).enqueued).to.equal(1);
    for (const other of [{ ratePerSecond: 7 }, { type: 'flow.*' }, { eventId: 'once' }]) {
      expect((await post('/replays', { ...request, ...other })).status, JSON.stringify(other)).to.equal(400);
    }
    const none = await post('/replays', { orgId, listenerId, eventId: 'never-happened' });
    expect(none.body).to.include({ error: 'flow_event_not_found' });
    expect((await post('/replays', { orgId, listenerId, eventId: 'once', type: 'flow.*' })).status).to.equal(400);
    expect((await post('/replays', { orgId })).status).to.equal(400);
    expect((await get(`/replays/${randomUUID()}`)).body).to.include({ error: 'replay_not_found' });
  });
});
