import type { IncomingHttpHeaders } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type ListenerPools, listenerPools } from '../../../src/deliveries/posting/listener-pools.js';
import { type PostResult, postThrough } from '../../../src/deliveries/posting/post.js';
import type { Resolve } from '../../../src/deliveries/target-guard/resolve-names.js';
import { targetGuard } from '../../../src/deliveries/target-guard/target-guard.js';
import type { EgressProxy } from '../../../src/kernel/egress/settings.js';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { type Engine, startEngine } from '../../support/deliveries/delivery-engine.js';
import { certificates, certificateKey as key } from '../../support/receivers-of-listeners/certificates.js';
import { type ConnectProxy, startConnectProxy } from '../../support/receivers-of-listeners/connect-proxy.js';
import { startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import { until } from '../../support/until.js';

/** A public address, which the proxy of these tests reaches on this machine. */
const address = '93.184.215.14';
const name = 'tls.example.com';

describe('posting through an egress proxy', () => {
  let endpoint: Server;
  let proxy: ConnectProxy;
  let pools: ListenerPools | undefined;
  let requests: IncomingHttpHeaders[];

  beforeEach(async () => {
    requests = [];
    endpoint = createServer({ key, cert: certificates.good }, ({ headers }, response) => {
      requests.push(headers);
      response.end();
    });
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
    proxy = await startConnectProxy({
      credentials: 'ada:p@ss',
      hosts: { [address]: '127.0.0.1', [name]: '127.0.0.1' },
    });
  });
  afterEach(async () => {
    await pools?.destroy();
    await proxy.close();
    endpoint.closeAllConnections();
    endpoint.close();
  });

  const port = () => (endpoint.address() as AddressInfo).port;
  const resolvesTo =
    (...addresses: readonly string[]): Resolve =>
    async () =>
      addresses.map((each) => ({ address: each, family: 4 }));

  function post(
    egress: Partial<EgressProxy> = {},
    { resolve = resolvesTo(address), url = `https://${name}:${port()}/hook` } = {},
  ): Promise<PostResult> {
    const { connect } = targetGuard(
      {
        allowHttp: false,
        allowLoopback: false,
        allowedTargets: ['127.0.0.1/32'],
        egress: { url: proxy.url, except: [], resolvesNames: false, ...egress },
      },
      { resolve, trustedAuthorities: certificates.authority, connectTimeoutMs: 300 },
    );
    pools = listenerPools({ connect, connections: 2, maxPools: 2 });
    return postThrough(pools)({ url, headers: {}, body: '{}', mayStart: () => true, timeoutMs: 5_000 });
  }

  it('asks it for the address that was judged, speaks TLS with the name, and logs the address', async () => {
    expect(await post()).to.include({ kind: 'answered', status: 200, address });
    expect(proxy.asked).to.eql([`${address}:${port()}`]);
    expect(requests[0]?.host).to.equal(`${name}:${port()}`);
    expect(requests[0]).to.not.have.property('proxy-authorization');
  });

  it('never asks it for a forbidden address, nor for a name that has one', async () => {
    expect(await post({}, { resolve: resolvesTo(address, '10.0.0.7') })).to.include({ error: 'target_not_allowed' });
    expect(await post({}, { url: 'https://169.254.169.254/' })).to.include({ error: 'target_not_allowed' });
    expect(proxy.asked).to.eql([]);
  });

  it('leaves names to it where it resolves them, and judges addresses in URLs still', async () => {
    const unresolved = async () => Promise.reject(new Error('no resolver here'));
    expect(await post({ resolvesNames: true }, { resolve: unresolved })).to.include({ kind: 'answered', status: 200 });
    expect(proxy.asked).to.eql([`${name}:${port()}`]);
    const literal = await post({ resolvesNames: true }, { url: `https://10.0.0.7:${port()}/` });
    expect(literal).to.include({ error: 'target_not_allowed' });
  });

  it('is a failure on our side where the proxy refuses, is silent or is down', async () => {
    const failed = { kind: 'failed', error: 'egress_proxy', status: undefined };
    expect(await post({ url: proxy.url.replace('ada', 'eve') }), 'wrong credentials').to.include(failed);
    for (const status of [403, 502, 503] as const) {
      proxy.answer(status);
      expect(await post(), String(status)).to.include(failed);
    }
    proxy.answer('nothing');
    const startedAt = performance.now();
    expect(await post(), 'silent').to.include(failed);
    expect(performance.now() - startedAt).to.be.at.least(290);
    expect(await post({ url: `http://127.0.0.1:${await reusablePort()}` }), 'down').to.include(failed);
  });

  it('is of the listener where the tunnel is open and the listener fails', async () => {
    expect(await post({}, { url: `https://other.example.com:${port()}/` })).to.include({ error: 'tls' });
  });

  for (const except of [['*.example.com'], [name], ['10.0.0.0/8', '127.0.0.0/8']]) {
    it(`reaches ${except} without it`, async () => {
      expect(await post({ except }, { resolve: resolvesTo('127.0.0.1') })).to.include({
        status: 200,
        address: '127.0.0.1',
      });
      expect(proxy.asked).to.eql([]);
    });
  }

  it('reaches the address that it judged without it, also where the name has another one at the next look', async () => {
    let looks = 0;
    const changes: Resolve = async () => {
      looks += 1;
      return [{ address: looks === 1 ? '127.0.0.1' : address, family: 4 }];
    };
    const answered = await post({ except: ['127.0.0.0/8'] }, { resolve: changes });
    expect(answered).to.include({ status: 200, address: '127.0.0.1' });
    expect(looks).to.equal(1);
  });

  it('asks it for names and addresses that the exceptions do not cover', async () => {
    expect(await post({ except: ['example.com', '*.tls.example.com', '10.0.0.0/8'] })).to.include({ status: 200 });
    expect(proxy.asked).to.have.length(1);
  });
});

describe('deliveries while the egress proxy is down', function () {
  this.timeout(60_000);
  let engine: Engine;
  afterEach(() => engine.stop());

  it('use up no attempt, and go on with the proxy', async () => {
    const receiver = await startReceiver();
    const port = await reusablePort();
    const egress = { url: `http://127.0.0.1:${port}`, except: [], resolvesNames: false };
    const guard = targetGuard({ allowHttp: true, allowLoopback: true, allowedTargets: [], egress });
    const retryPolicy = { schedule: [0, 20, 20], maxRetryAfterMs: 1_000 };
    engine = await startEngine({ guard, attempts: { concurrency: 16, deadlineMs: 5_000, retryPolicy } });
    await engine.subscribe(`${receiver.origin}/hook`);
    for (let n = 0; n < 5; n += 1) await engine.publish({ n });
    await until(() => engine.deliveries.status().worker.outage?.failure === 'egress_proxy', 'the outage');
    const proxy = await startConnectProxy({ port });
    await until(async () => (await engine.queue.counts(Date.now())).succeeded === 5, 'the deliveries');
    const deliveries = (await engine.queue.deliveries({ orgId: 'acme', limit: 10 })).deliveries;
    expect(deliveries.map(({ state, attempts }) => `${state} ${attempts}`)).to.eql(Array(5).fill('succeeded 1'));
    expect(proxy.asked.every((each) => each === new URL(receiver.origin).host)).to.equal(true);
    await proxy.close();
    await receiver.close();
  });
});
