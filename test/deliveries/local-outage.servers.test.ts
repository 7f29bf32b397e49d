import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type TargetGuard, targetGuard } from '../../src/deliveries/target-guard/target-guard.js';
import type { TargetPolicy } from '../../src/deliveries/target-guard/target-judge.js';
import type { DeliveryQueue } from '../../src/queue/delivery-queue.js';
import { openMongoDeliveryQueue } from '../../src/queue/mongodb/mongodb-delivery-queue.js';
import { openSqliteDeliveryQueue } from '../../src/queue/sqlite/sqlite-delivery-queue.js';
import { type Engine, startEngine } from '../support/deliveries/delivery-engine.js';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { startNameServer } from '../support/receivers-of-listeners/name-server.js';
import { type Receiver, startReceiver } from '../support/receivers-of-listeners/receiver.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

const policy: TargetPolicy = { allowHttp: true, allowLoopback: true, allowedTargets: [] };
/** A schedule that is used up at once. */
const settings = {
  concurrency: 16,
  deadlineMs: 5_000,
  retryPolicy: { schedule: [0, 20, 20], maxRetryAfterMs: 1_000 },
};

/** A network that tests can break. `connects`: attempts to connect so far. */
function breakableNetwork(isBroken: (hostname: string) => boolean, code = 'ENETUNREACH') {
  const guard = targetGuard(policy);
  const network = { connects: 0 };
  const connect: TargetGuard['connect'] = (options, callback) => {
    network.connects += 1;
    if (!isBroken(options.hostname)) return guard.connect(options, callback);
    setImmediate(() => callback(Object.assign(new Error(`connect ${code}`), { code }), null));
  };
  return { network, guard: { ...guard, connect } };
}

describe('deliveries while the service’s own network fails', function () {
  this.timeout(60_000);
  let receiver: Receiver;
  let engine: Engine;
  let port: string;

  beforeEach(async () => {
    receiver = await startReceiver();
    ({ port } = new URL(receiver.origin));
  });
  afterEach(async () => {
    await engine.stop();
    await receiver.close();
  });

  const counts = () => engine.queue.counts(Date.now());
  const outage = () => engine.deliveries.status().worker.outage;
  const deliveriesOf = async () => (await engine.queue.deliveries({ orgId: 'acme', limit: 10_000 })).deliveries;
  async function expectOneAttemptEach(count: number): Promise<void> {
    const deliveries = await deliveriesOf();
    expect(deliveries).to.have.length(count);
    expect(new Set(deliveries.map(({ state, attempts }) => `${state} ${attempts}`))).to.deep.equal(
      new Set(['succeeded 1']),
    );
  }

  /** 60 deliveries to three listeners, of which one is ordered, through an outage. */
  async function waitThroughOutage(queue?: DeliveryQueue): Promise<void> {
    let broken = true;
    const { network, guard } = breakableNetwork(() => broken);
    engine = await startEngine({ guard, attempts: settings, ...(queue && { queue }) });
    for (const path of ['a', 'b', 'c']) {
      await engine.subscribe(`${receiver.origin}/${path}`, { ordered: path === 'c' });
    }
    for (let n = 0; n < 20; n += 1) await engine.publish({ n });
    await until(async () => (await counts()).waiting === 60, 'the deliveries to wait');
    await until(async () => outage() !== undefined, 'the outage to be noticed');
    const areQuiet = async () => {
      const { connects } = network;
      await pause(1_000);
      return network.connects === connects;
    };
    await until(areQuiet, 'the attempts of leases that began before it was noticed');
    const before = network.connects;
    const since = performance.now();
    await until(async () => performance.now() - since > 4_000, 'a probe');
    const probesInTime = Math.ceil((performance.now() - since) / 3_000); // one every 3 s
    expect(network.connects - before).to.be.within(1, probesInTime);
    expect(await deliveriesOf().then((all) => all.filter(({ attempts }) => attempts > 0))).to.deep.equal([]);
    expect(outage()).to.include({ failure: 'local_network' });

    broken = false;
    await until(async () => (await counts()).succeeded === 60, 'the deliveries');
    await expectOneAttemptEach(60);
    const ordered = receiver.received.filter(({ path }) => path === '/c');
    expect(ordered.map(({ body }) => JSON.parse(body).data.n)).to.deep.equal(Array.from({ length: 20 }, (_, n) => n));
  }

  it('wait without using an attempt, are probed every few seconds, and continue in order when it works', () =>
    waitThroughOutage());

  onMongoDb('on MongoDB', ({ database }) => {
    it('wait in the same way', async () => waitThroughOutage(await openMongoDeliveryQueue(database(randomUUID()))));
  });

  it('reach other hosts at once, while the deliveries to a host that fails alone use their attempts after some tries', async () => {
    const { guard } = breakableNetwork((hostname) => hostname === 'localhost');
    engine = await startEngine({ guard, attempts: settings });
    const alone = await engine.subscribe(`http://localhost:${port}/alone`, { subscriptionType: 'flow.*' });
    await engine.subscribe(`${receiver.origin}/healthy`, { subscriptionType: 'healthy' });
    await engine.publish();
    const deadline = performance.now() + 50_000;
    let published = 0;
    while ((await counts()).exhausted < 1) {
      published += 1;
      await engine.publish({}, { type: 'healthy' });
      await receiver.has(published);
      expect(performance.now()).to.be.lessThan(deadline);
    }
    expect(published, 'deliveries to the other host meanwhile').to.be.greaterThan(5);
    const { deliveries } = await engine.queue.deliveries({ orgId: 'acme', listenerId: alone.listenerId });
    expect(deliveries[0]).to.include({ attempts: 3, lastError: 'local_network' });
  });

  it('are not leased again and again while their host waits', async () => {
    const directory = temporaryDirectory();
    const queue = openSqliteDeliveryQueue({ directory });
    let leases = 0;
    const lease: DeliveryQueue['lease'] = (request) => {
      leases += 1;
      return queue.lease(request);
    };
    const { guard, network } = breakableNetwork((hostname) => hostname === 'localhost');
    engine = await startEngine({ guard, attempts: settings, directory, queue: { ...queue, lease } });
    await engine.subscribe(`${receiver.origin}/healthy`, { subscriptionType: 'healthy' });
    await engine.publish({}, { type: 'healthy' });
    await receiver.has(1);
    await engine.subscribe(`http://localhost:${port}/alone`, { subscriptionType: 'flow.*' });
    for (let n = 0; n < 20; n += 1) await engine.publish({ n });
    await until(async () => (await counts()).waiting === 20, 'the deliveries to wait');
    await until(() => network.connects > 1, 'the first failures');
    const [before, connectsBefore, since] = [leases, network.connects, performance.now()];
    await until(() => performance.now() - since > 2_000, 'some time');
    expect(leases - before).to.be.lessThan(10);
    expect(network.connects - connectsBefore).to.be.lessThan(20);
    await engine.stop();
    await queue.close();
    engine = await startEngine();
  });

  it('are delivered by another instance whose network works', async () => {
    const cut = breakableNetwork(() => true);
    engine = await startEngine({ guard: cut.guard, attempts: settings });
    const { store, queue, periods } = engine;
    await engine.subscribe(`${receiver.origin}/1`);
    for (let n = 0; n < 20; n += 1) await engine.publish({ n });
    await until(async () => outage() !== undefined, 'the outage');
    const other = await startEngine({ store, queue, periods, attempts: settings });
    await until(async () => (await counts()).succeeded === 20, 'the deliveries');
    await expectOneAttemptEach(20);
    await other.stop();
  });

  describe('to names', () => {
    const here = { A: ['127.0.0.1'], AAAA: [] };
    const dead = { A: 'silence', AAAA: 'silence' } as const;
    const names = ['a', 'b', 'c'].map((each) => `${each}.example.com`);

    it('use no attempt while no name server answers, and continue when one does', async () => {
      const zone: Record<string, typeof here | typeof dead> = Object.fromEntries(names.map((name) => [name, dead]));
      const server = await startNameServer(zone);
      const guard = targetGuard(policy, { names: { hosts: '/nowhere', servers: [server.address] } });
      engine = await startEngine({ guard, attempts: settings });
      for (const name of names) await engine.subscribe(`http://${name}:${port}/hook`);
      for (let n = 0; n < 10; n += 1) await engine.publish({ n });
      await until(async () => (outage()?.released ?? 0) > 3, 'some lookups to fail');
      expect(outage()).to.include({ failure: 'resolver' });
      expect(receiver.received).to.deep.equal([]);
      for (const name of names) zone[name] = here;
      await until(async () => (await counts()).succeeded === 30, 'the deliveries');
      await expectOneAttemptEach(30);
      await server.close();
    });

    it('use attempts at a name whose servers alone do not answer', async () => {
      const server = await startNameServer({ 'dead.example.com': dead, 'a.example.com': here });
      const guard = targetGuard(policy, { names: { hosts: '/nowhere', servers: [server.address] } });
      engine = await startEngine({ guard, attempts: settings });
      const alone = await engine.subscribe(`http://dead.example.com:${port}/dead`, { subscriptionType: 'flow.*' });
      // Each post connects anew, and so looks the name up.
      const closing = await startReceiver(0, { keepAlive: false });
      await engine.subscribe(`http://a.example.com:${new URL(closing.origin).port}/healthy`, {
        subscriptionType: 'healthy',
      });
      await engine.publish();
      const deadline = performance.now() + 50_000;
      for (let published = 1; (await counts()).exhausted < 1; published += 1) {
        await engine.publish({}, { type: 'healthy' });
        await closing.has(published);
        expect(performance.now()).to.be.lessThan(deadline);
      }
      const [delivery] = (await deliveriesOf()).filter(({ listenerId }) => listenerId === alone.listenerId);
      expect(delivery).to.include({ attempts: 3, lastError: 'resolver' });
      await server.close();
      await closing.close();
    });
  });
});
