import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { clientMemoryMs } from '../../../src/access/clients/client-registry.js';
import { documentedBlocks } from '../../support/documented-blocks.js';
import { ownEnvironment } from '../../support/own-environment.js';
import { cli } from '../../support/service/cli.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';
import { loadIntegration, zapierFolder } from '../../support/zapier/integration.js';
import { openZapier, type Zapier } from '../../support/zapier/zapier.js';

const page = readFileSync(new URL('../../../../docs/integrate.md', import.meta.url), 'utf8');

type Terminal = {
  /** Pastes a block, and returns what it prints. */
  paste: (block: string) => Promise<string>;
  close: () => Promise<void>;
};

function openTerminal(directory: string, environment: NodeJS.ProcessEnv): Terminal {
  const shell: ChildProcess = spawn('sh', [], { cwd: directory, env: environment, stdio: 'pipe' });
  const closed = once(shell, 'close');
  let printed = '';
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  return {
    async paste(block) {
      printed = '';
      shell.stdin?.write(`${block}\necho "the block has ended: $?"\n`);
      await until(() => /^the block has ended: \d+$/m.test(printed), 'the end of a block');
      expect(printed).to.match(/^the block has ended: 0$/m);
      return printed;
    },
    async close() {
      shell.stdin?.end();
      await closed;
    },
  };
}

describe('the ten steps of docs/integrate.md', function () {
  this.timeout(120_000);
  const checkout = join(temporaryDirectory(), 'flow-hooks');
  const copy = join(dirname(checkout), 'our-zapier-app');
  let service: ServiceProcess;
  let terminal: Terminal;
  let zapier: Zapier | undefined;

  before(async () => {
    service = await startService();
    mkdirSync(checkout);
    symlinkSync(dirname(zapierFolder), join(checkout, 'platforms'));
    terminal = openTerminal(checkout, { ...ownEnvironment(), DATA_DIR: service.dataDirectory });
  });
  after(async () => {
    await zapier?.close();
    await terminal.close();
    await service.stop();
  });

  const [address = '', types = '', publish = '', client = '', copying = '', redirect = '', fire = '', ...others] =
    documentedBlocks('docs/integrate.md', 'sh').map((block) =>
      block
        .replaceAll('npx flow-hooks', `'${process.execPath}' '${cli}'`)
        .replaceAll('http://127.0.0.1:3000', '"$ORIGIN"'),
    );

  it('are ten', () => {
    expect(page.match(/^## \d+\. /gm)?.map((heading) => Number.parseInt(heading.slice(3), 10))).to.deep.equal([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(others).to.deep.equal([]);
  });

  it('make a trigger fire, with Zapier’s own steps taken by its runtime', async () => {
    await terminal.paste(`ORIGIN=${service.origin}`);
    await terminal.paste(address);
    expect(await terminal.paste(types)).to.include('order.paid is declared, version 1');
    expect(await terminal.paste(publish)).to.include('{"id":"order-1-paid"}');
    const [secret = ''] = /fhc_[\w-]+/.exec(await terminal.paste(client)) ?? [];
    await terminal.paste(copying);

    const names = Object.keys(parseEnv(readFileSync(join(copy, '.env'), 'utf8')));
    expect(names).to.have.members(['FLOW_HOOKS_URL', 'CLIENT_ID', 'CLIENT_SECRET']);
    const values = { FLOW_HOOKS_URL: service.origin, CLIENT_ID: 'zapier', CLIENT_SECRET: secret };
    zapier = await openZapier(values, loadIntegration(copy));
    await terminal.paste(redirect);
    await pause(clientMemoryMs);

    const connection = await zapier.connect({ user_id: 'ada', org_id: 'acme' });
    expect(page).to.include(`\`${connection.label}\``);
    const listed = await connection.run('triggers.subscription_type.operation.perform');
    expect(listed).to.deep.include({ id: 'order.paid', name: 'order.paid', description: 'An order was paid' });
    const [, filter = ''] = /as the filter `([^`]+)`/.exec(page) ?? [];
    const fields = { subscriptionType: 'order.paid', filter };
    const isShown = async () => (await connection.samples(fields))[0]?.id === 'order-1-paid';
    await until(isShown, 'the published event as a sample');

    const zap = await connection.turnOn(fields);
    const printed = await terminal.paste(fire);
    expect((await zap.triggeredBy(1)).map(({ id }) => id)).to.deep.equal(['order-2-paid']);
    expect(printed).to.match(/order-2-paid.*succeeded|succeeded.*order-2-paid/);
    expect(printed).to.match(/delivered/);
  });
});
