import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { serve } from '../../support/serve.js';
import { publish, subscribe } from '../../support/service/journey.js';
import { scrape } from '../../support/service/metrics.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const answerAfterMs = 300;

/** A listener that answers each request with 200, after `answerAfterMs`. `received`: the ids of the deliveries. */
async function startSlowListener() {
  const received = new Set<string>();
  const { origin, close } = await serve(async (response, { headers }) => {
    await pause(answerAfterMs);
    received.add(String(headers['webhook-id']));
    response.end();
  });
  return { received, origin, close };
}

/** Repeats a request whose connection was closed: the service closes idle ones for new ones, also one about to be used. */
async function onOpenConnection<Answer>(request: () => Promise<Answer>, attempts = 5): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (attempts === 1 || !(error instanceof TypeError)) throw error;
    return onOpenConnection(request, attempts - 1);
  }
}

describe('a service with few file descriptors', function () {
  this.timeout(180_000);
  const listeners = 4;
  const events = 110;
  const idleConnections = 300;
  /** About 30 more than the files of the embedded store need. */
  const maxDescriptors = 125;
  let service: ServiceProcess;
  let receiver: Awaited<ReturnType<typeof startSlowListener>>;
  const idle: Socket[] = [];

  before(async () => {
    receiver = await startSlowListener();
    service = await startService({ maxDescriptors, environment: { RETRY_SCHEDULE: Array(9).fill('1s').join() } });
  });
  after(async () => {
    for (const socket of idle) socket.destroy();
    await service.stop();
    await receiver.close();
  });

  it('answers requests and delivers all, without a failed attempt, beside 300 idle connections', async () => {
    for (let n = 0; n < listeners; n += 1) await subscribe(service, `${receiver.origin}/${n}`);
    let [connected, closed] = [0, 0];
    for (let n = 0; n < idleConnections; n += 1) {
      const socket = connect(service.port, '127.0.0.1', () => (connected += 1));
      idle.push(socket.on('error', () => undefined).on('close', () => (closed += 1)));
    }
    // Long before it would close them because nothing is sent on them.
    const areTooMany = () => connected > maxDescriptors && closed >= connected - maxDescriptors;
    await until(areTooMany, 'more connections than it has descriptors', { limitMs: 30_000 });
    for (let n = 0; n < events; n += 1) {
      await onOpenConnection(() => publish(service, { type: 'flow.completed', id: `event-${n}`, data: { n } }));
    }
    const newcomer = () =>
      new Promise((resolve) => {
        const request = get(`${service.origin}/healthz`, { agent: false }, ({ statusCode }) => resolve(statusCode));
        request.on('error', resolve);
      });
    await until(async () => (await newcomer()) === 200, 'an answer on its own connection');
    await until(() => receiver.received.size === listeners * events, 'the deliveries');

    const attemptsOf = async () =>
      [...(await onOpenConnection(() => scrape(service)))].filter(
        ([name, count]) => name.startsWith('flow_hooks_delivery_attempts_total') && count > 0,
      );
    await until(async () => (await attemptsOf())[0]?.[1] === listeners * events, 'the outcomes');
    expect(Object.fromEntries(await attemptsOf())).to.deep.equal({
      'flow_hooks_delivery_attempts_total{outcome="succeeded",class="none"}': listeners * events,
    });
    await until(
      async () => (await onOpenConnection(() => service.fetch('/readyz'))).status === 200,
      'all parts to be ready',
    );
  });
});
