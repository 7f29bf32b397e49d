import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const halfWay = fileURLToPath(new URL('../support/mongodb/faults/half-way.js', import.meta.url));

onMongoDb('what tests leave behind', ({ server }) => {
  const client = new MongoClient(server.url);
  after(() => client.close());

  it('is no database on a server that was given, also where they fail half-way', async () => {
    const databases = async () => (await client.db().admin().listDatabases()).databases.map(({ name }) => name);
    const before = await databases();

    const child = spawn(process.execPath, [mocha, '--no-config', '--exit', halfWay], {
      env: { ...process.env, MONGODB_URL: server.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    await once(child, 'close');

    expect(printed)
      .to.match(/2 failing/)
      .and.to.include('Error: half-way, with a database');
    // Other test processes use the server meanwhile: the databases that name one of them are theirs.
    const [, pid] = /process (\d+)/.exec(printed) ?? [];
    const isOthers = (name: string) =>
      /^flow-hooks-test-\d+-/.test(name) && !name.startsWith(`flow-hooks-test-${pid}-`);
    expect(pid).not.to.equal(undefined);
    expect((await databases()).filter((name) => !before.includes(name) && !isOthers(name))).to.deep.equal([]);
  }).timeout(240_000);
});
