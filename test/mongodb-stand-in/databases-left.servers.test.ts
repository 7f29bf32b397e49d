import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { onMongoDb } from '../support/mongodb/on-mongodb.js';
import { startProcess } from '../support/process.js';

const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');
const halfWay = fileURLToPath(new URL('../support/mongodb/faults/half-way.js', import.meta.url));

onMongoDb('what tests leave behind', ({ server }) => {
  const client = new MongoClient(server.url);
  after(() => client.close());

  it('is no database on a server that was given, also where they fail half-way', async () => {
    const databases = async () => (await client.db().admin().listDatabases()).databases.map(({ name }) => name);
    const before = await databases();

    const env = { ...process.env, MONGODB_URL: server.url };
    const { ended, stdout } = startProcess(process.execPath, [mocha, '--no-config', '--exit', halfWay], { env });
    await ended;
    const printed = stdout();

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
