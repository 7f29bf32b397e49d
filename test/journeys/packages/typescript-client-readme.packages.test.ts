import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { reusablePort } from '../../eventstoredb-double/src/reusable-port.js';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { compileForUser, installTypescriptClient } from '../../support/packages/typescript-client.js';
import { type RunningProcess, startProcess } from '../../support/process.js';
import { administratorOf } from '../../support/service/administrator.js';
import { subscribe } from '../../support/service/journey.js';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';
import { until } from '../../support/until.js';

const run = promisify(execFile);

describe('the programs of clients/typescript/README.md', () => {
  let service: SharedService;
  let receiver: RunningProcess | undefined;
  let port: number;
  let folder: string;

  before(async () => {
    const [started, user, free] = await Promise.all([sharedService(), installTypescriptClient(), reusablePort()]);
    service = started;
    folder = user.folder;
    port = free;
    const programs = documentedBlocks('clients/typescript/README.md', 'ts').map((block) =>
      block
        .replace('4000', String(port))
        .replace('https://hooks.example.com', service.origin)
        .replaceAll('acme', service.orgId),
    );
    expect(programs).to.have.length(4);
    const names = ['publish.ts', 'operate.ts', 'subscribe.ts', 'receive.ts'];
    for (const [index, name] of names.entries()) writeFileSync(join(folder, name), programs[index] ?? '');
    await compileForUser(user, names, ['--lib', 'es2023', '--types', 'node']);
  });
  after(async () => {
    await receiver?.stop();
  });

  it('subscribe, publish, receive and verify, explain and replay', async () => {
    const { signingSecret } = await subscribe(service, `http://127.0.0.1:${port}/hook`, {
      subscriptionType: 'order.*',
    });
    const env = { ...ownEnvironment(), SIGNING_SECRETS: `whsec_b3RoZXI= ${signingSecret}` };
    receiver = startProcess(process.execPath, ['receive.js'], { cwd: folder, env });
    const { stdout } = receiver;

    const key = { name: 'shop', orgId: service.orgId, scopes: ['flows:publish', 'listeners:write'] };
    const { body } = await administratorOf(() => service).post('/api-keys', key);
    const FLOW_HOOKS_KEY = (body as { key: string }).key;
    expect(await runProgram('subscribe.js', { FLOW_HOOKS_KEY })).to.match(/^[0-9a-f-]{36} true$/m);
    const published = await runProgram('publish.js', { FLOW_HOOKS_KEY });
    expect(published).to.match(
      /^order-4711-paid \[\s+\{\s+id: 'order-2-paid',\s+status: 'rejected',\s+error: 'invalid_request',/,
    );
    const arrived = (text: string) =>
      stdout()
        .split('\n')
        .filter((line) => line === text).length;
    const lines = ['order-4711-paid order.paid { total: 42 }', 'order-1-paid order.paid { total: 3 }'];
    await until(() => lines.every((line) => arrived(line) === 1), 'both deliveries');
    const listed = async () =>
      (
        (await administratorOf(() => service).get(`/flows?orgId=${service.orgId}`)).body as {
          items: readonly unknown[];
        }
      ).items;
    await until(async () => (await listed()).length === 2, 'the list of flow events');

    const adminKey = readFileSync(join(service.dataDirectory, 'admin-key.txt'), 'utf8').trim();
    const operated = await runProgram('operate.js', { FLOW_HOOKS_ADMIN_KEY: adminKey });
    expect(operated.split('\n')).to.include.members([
      'order-1-paid order.paid',
      'order-4711-paid order.paid',
      'completed 2',
      '100 %',
    ]);
    expect(operated)
      .to.match(/^\S+ delivered the listener answered 204 /m)
      .and.match(/attempts: \d+,/);
    await until(() => lines.every((line) => arrived(line) === 2), 'the replay');
  });

  it('do not start to receive without signing secrets, and answer a wrong signature with 401', async () => {
    const started = await runProgram('receive.js', {}).catch((error: Error & { stderr: string }) => error.stderr);
    expect(started).to.include('SIGNING_SECRETS is not set');
    const forged = { 'webhook-id': '1', 'webhook-timestamp': `${Math.floor(Date.now() / 1_000)}` };
    const headers = { ...forged, 'webhook-signature': 'v1,AAAA' };
    const { status } = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: '{}' });
    expect(status).to.equal(401);
    await receiver?.prints(/code: 'invalid_signature'/);
  });

  async function runProgram(name: string, variables: Readonly<Record<string, string>>): Promise<string> {
    const env = { ...ownEnvironment(), ...variables };
    const { stdout } = await run(process.execPath, [name], { cwd: folder, env });
    return stdout;
  }
});
