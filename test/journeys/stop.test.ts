import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type HeldReceiver, startHeldReceiver } from '../support/hooks/held-receiver.js';
import { ownEnvironment } from '../support/own-environment.js';
import { administratorOf } from '../support/service/administrator.js';
import { publish, subscribe } from '../support/service/journey.js';
import { type ServiceProcess, startService } from '../support/service/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { until } from '../support/until.js';

describe('stopping the service', function () {
  this.timeout(120_000);
  let service: ServiceProcess;
  let hook: HeldReceiver;

  beforeEach(async () => {
    hook = await startHeldReceiver();
    service = await startService();
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await hook.close();
  });

  it('lets a delivery that is under way end, and does not repeat it at the next start', async () => {
    await subscribe(service, `${hook.origin}/hook`);
    const id = await publish(service, { type: 'flow.completed', data: {} });
    await hook.holds(1);
    const stopped = service.stop('SIGTERM');
    await hook.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });

    service = await startService({ dataDirectory: service.dataDirectory });
    const later = await publish(service, { type: 'flow.later', data: {} });
    await hook.holds(1);
    await hook.release(200);
    expect(hook.bodies.map((body) => (JSON.parse(body) as { id: string }).id)).to.eql([id, later]);
  });

  it('lets a notice to a platform that is under way end', async () => {
    await service.stop();
    service = await startService({ environment: { NOTIFY_REMOVED: 'true', LOG_LEVEL: 'info' } });
    const { listenerId } = await subscribe(service, `${hook.origin}/hook`);
    await administratorOf(() => service).post(`/listeners/${listenerId}/unsubscribe`);
    await hook.holds(1);
    const stopped = service.stop('SIGTERM');
    await refused(service);
    await hook.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });
    expect(service.printed()).to.include('told a platform that its hook is removed');
  });

  it('answers a request that is under way, and takes no further ones', async () => {
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
    await subscribe(service, `${hook.origin}/hook`);
    await publish(service, { type: 'flow.completed', data: {} });
    await hook.holds(1); // and is never answered
    const startedAt = performance.now();
    const stopped = service.stop('SIGTERM');
    await refused(service);
    const again = setInterval(() => process.kill(service.pid, 'SIGTERM'), 50);
    expect(await stopped.finally(() => clearInterval(again))).to.deep.equal({ code: 130, signal: null });
    expect(performance.now() - startedAt).to.be.within(400, 10_000);
  });

  it('takes for one the signals of a terminal and of npm, which passes on what the terminal sends to both', async () => {
    await subscribe(service, `${hook.origin}/hook`);
    await publish(service, { type: 'flow.completed', data: {} });
    await hook.holds(1);
    const stopped = service.stop('SIGINT');
    process.kill(service.pid, 'SIGTERM'); // another signal: the system takes two of a kind for one by itself
    await refused(service);
    await hook.release(200);
    expect(await stopped).to.deep.equal({ code: 0, signal: null });
  });

  it('comes of a signal to npm alone, which started it', async () => {
    const environment = { ...ownEnvironment(), PORT: '0', DATA_DIR: temporaryDirectory() };
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    npm.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await until(() => printed.includes('serving on'), 'npm to have started the service', { limitMs: 60_000 });
    npm.kill('SIGTERM');
    await once(npm, 'close'); // all output has been read
    expect(() => readFileSync(join(environment.DATA_DIR, 'service.pid'))).to.throw('ENOENT');
  });
});

/** Resolves once the service takes no connections any more. */
async function refused({ fetch }: ServiceProcess): Promise<void> {
  for (;;) {
    try {
      await fetch('/healthz', { headers: { connection: 'close' } });
    } catch {
      return;
    }
  }
}
