import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { givenN8n } from '../../support/n8n/given-n8n.js';
import { installN8n, installNodeCli, n8nVersion } from '../../support/n8n/install-n8n.js';
import { nodesPackage } from '../../support/n8n/nodes-package.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { actionTests } from './n8n/action.js';
import { oauth2Tests } from './n8n/oauth2.js';
import { triggerTests } from './n8n/trigger.js';

describe(`the nodes of platforms/n8n in n8n ${n8nVersion}`, function () {
  this.timeout(120_000);
  const given = givenN8n();
  const { owner, n8n, post, keyData, adminKeyText, apiKey } = given;
  let nodeCli: string;
  before(async function () {
    this.timeout(3_600_000); // gigabytes, the first time
    installN8n();
    nodeCli = installNodeCli();
    await given.start();
  });
  after(given.close);

  it('are loaded, the action node also as a tool for AI agents', async () => {
    const text = await owner().ask<string>('GET', '/types/nodes.json');
    const names = (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    expect(names).to.include.members(
      ['flowHooks', 'flowHooksTool', 'flowHooksTrigger'].map((name) => `n8n-nodes-flow-hooks.${name}`),
    );
    for (const icon of ['flow-hooks', 'flow-hooks.dark']) {
      const { status } = await fetch(`${n8n().origin}/icons/n8n-nodes-flow-hooks/dist/icons/${icon}.svg`);
      expect(status).to.equal(200);
    }
  });

  it('have credentials whose test tells keys that are accepted from others', async () => {
    const test = (data: object) => owner().testCredential('', 'flowHooksApi', data);
    const publishing = { scopes: ['flows:publish'] };
    expect(await test({ ...keyData(adminKeyText()), ...publishing })).to.include({ status: 'OK' });
    const body = { name: 'only publishes', orgId: 'Żółw', ...publishing };
    const { key } = (await post('/api-keys', body)).body as { key: string };
    const data = { ...keyData(key), orgId: 'Żółw', ...publishing };
    expect(await test(data)).to.include({ status: 'OK' });
    const refused = (message: string) => ({ status: 'Error', message });
    expect(await test({ ...data, orgId: 'acme' })).to.include(refused('This key is for another organisation'));
    expect(await test({ ...data, scopes: ['flows:publish', 'listeners:write'] })).to.include(
      refused('This key does not permit all that "Used To" names'),
    );
    expect(await test(keyData('fhk_wrong'))).to.include(refused('The service does not accept this key'));
    for (const baseUrl of [n8n().origin, 'http://127.0.0.1:9']) {
      expect(await test({ ...keyData(key), baseUrl })).to.include({ status: 'Error' });
    }
  });

  it('offer the event types of the service', async () => {
    const declared = await post('/event-types', {
      name: 'order.paid',
      description: 'An order was paid',
      schema: { type: 'object' },
    });
    expect(declared.status).to.equal(201);
    const offered = async (filter?: string) => {
      const path = '/rest/dynamic-node-parameters/resource-locator-results';
      const { results } = await owner().ask<{ results: { value: string }[] }>('POST', path, {
        path: 'parameters.subscriptionType',
        methodName: 'searchSubscriptionTypes',
        nodeTypeAndVersion: { name: 'n8n-nodes-flow-hooks.flowHooksTrigger', version: 1 },
        currentNodeParameters: { authentication: 'apiKey' },
        credentials: { flowHooksApi: apiKey() },
        ...(filter !== undefined && { filter }),
      });
      return results.map(({ value }) => value);
    };
    expect(await offered()).to.deep.equal(['*', 'order.paid']);
    expect(await offered('was paid')).to.deep.equal(['order.paid']);
  });

  it('pass the linter that n8n verifies community nodes with', () => {
    const copy = temporaryDirectory();
    for (const part of ['package.json', 'tsconfig.json', 'README.md', 'credentials', 'icons', 'nodes']) {
      cpSync(join(nodesPackage, part), join(copy, part), { recursive: true });
    }
    const modules = join(nodeCli, 'node_modules');
    symlinkSync(modules, join(copy, 'node_modules'));
    // What its strict mode demands. The package has the rules written out, since it would install 700 MB for these two lines.
    writeFileSync(
      join(copy, 'eslint.config.mjs'),
      "import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n",
    );
    const cli = join(modules, '@n8n/node-cli/bin/n8n-node.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'lint'], { cwd: copy, encoding: 'utf8' });
    expect(status, `${stdout}\n${stderr}`).to.equal(0);
  });

  triggerTests(given);
  actionTests(given);
  oauth2Tests(given);
});
