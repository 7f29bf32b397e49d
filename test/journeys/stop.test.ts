import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { ownEnvironment } from '../support/own-environment.js';
import { startProcess } from '../support/process.js';
import { type Receiver, startHeldReceiver } from '../support/receivers-of-listeners/receiver.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe } from '../support/service/journey.js';
import { originOf, type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

describe('stopping the service', () => {
  let service: ServiceProcess;
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startHeldReceiver();
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await receiver.close();
  });
  const start = async (settings: Parameters<typeof startService>[0] = {}) => {
    service = await startService(settings);
  };

  it('completes a delivery in flight, and does not repeat it at the next start', async () => {
    await start();
    await subscribe(service, `${receiver.origin}/hook`);
    const id = await publish(service, { type: 'flow.completed', data: {} });
    await receiver.holds(1);
    const stopped = service.stop('SIGTERM');
    await receiver.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });

    await start({ dataDirectory: service.dataDirectory });
    const later = await publish(service, { type: 'flow.later', data: {} });
    await receiver.holds(1);
    await receiver.release(200);
    expect(receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id)).to.eql([id, later]);
  });

  it('completes a notice to a platform in flight', async () => {
    await start({ environment: { NOTIFY_REMOVED: 'true', LOG_LEVEL: 'info' } });
    const { listenerId } = await subscribe(service, `${receiver.origin}/hook`);
    await administratorOf(() => service).post(`/listeners/${listenerId}/unsubscribe`);
    await receiver.holds(1);
    const stopped = service.stop('SIGTERM');
    await refused(service);
    await receiver.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });
    expect(service.printed()).to.include('notified a platform of the removal of its listener');
  });

  it('answers a request in progress, and accepts no further ones', async () => {
    await start();
    const body = JSON.stringify({ orgId: 'acme', type: 'flow.completed', data: {} });
    const slow = request({
      port: service.port,
      path: '/api/flows',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length },
    });
    slow.write(body.slice(0, 10));
    await once(slow, 'socket').then(([socket]) => (socket.connecting ? once(socket, 'connect') : undefined));
    await service.fetch('/healthz'); // so that the first bytes of the other request have been read
    const stopped = service.stop('SIGTERM');
    await refused(service);
    slow.end(body.slice(10));
    const [response] = await once(slow, 'response');
    expect(response.statusCode).to.equal(202);
    response.resume();
    expect(await stopped).to.deep.equal({ code: 0, signal: null });
  });

  it('stops at once on a second signal', async () => {
    await start();
    await subscribe(service, `${receiver.origin}/hook`);
    await publish(service, { type: 'flow.completed', data: {} });
    await receiver.holds(1); // and is never answered
    const stopped = service.stop('SIGTERM');
    await refused(service);
    const again = setInterval(() => process.kill(service.pid, 'SIGTERM'), 50);
    expect(await stopped.finally(() => clearInterval(again))).to.deep.equal({ code: 130, signal: null });
  });

  it('treats a signal from a terminal and the same signal forwarded by npm as one', async () => {
    await start();
    await subscribe(service, `${receiver.origin}/hook`);
    await publish(service, { type: 'flow.completed', data: {} });
    await receiver.holds(1);
    const stopped = service.stop('SIGINT');
    process.kill(service.pid, 'SIGTERM'); // another signal: the system takes two of a kind for one by itself
    await refused(service);
    await receiver.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });
  });

  it('stops at a signal to the npm process that started it', async () => {
    const environment = { ...ownEnvironment(), PORT: '0', DATA_DIR: temporaryDirectory() };
    const cwd = fileURLToPath(new URL('../../../', import.meta.url));
    const npm = startProcess('npm', ['start', '--ignore-scripts'], { cwd, env: environment });
    await originOf(npm);
    await npm.stop();
    await npm.ended; // all output has been read
    expect(() => readFileSync(join(environment.DATA_DIR, 'service.pid'))).to.throw('ENOENT');
  });
});

/** Codes of errors of connections to a service that is stopping or has stopped. */
const ended = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET'];

/** Resolves when the service accepts no more connections. */
const refused = ({ fetch }: ServiceProcess): Promise<void> =>
  until(async () => {
    try {
      await fetch('/healthz', { headers: { connection: 'close' } });
      return false;
    } catch (error) {
      const { code = '' } = ((error as Error).cause ?? {}) as { code?: string };
      if (!ended.includes(code)) throw error;
      return code === 'ECONNREFUSED';
    }
  }, 'connections to be refused');
