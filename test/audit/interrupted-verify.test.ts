import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { listeners } from '../../projections/listeners.js';
import { openSqliteEventStore } from '../../src/event-store/sqlite/sqlite-event-store.js';
import { rebuild } from '../../src/read-model/rebuild.js';
import { openSqliteReadModel } from '../../src/read-model/sqlite/sqlite-read-model.js';
import { subscribed } from '../listeners/stories.js';
import { cli, environmentOf } from '../support/cli.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { day, tellListener } from './tell.js';

describe('flow-hooks audit verify', function () {
  this.timeout(120_000);

  it('leaves nothing in the temporary directory where a signal ends it', async () => {
    const directory = temporaryDirectory();
    const store = openSqliteEventStore({ directory });
    const readModel = openSqliteReadModel({ directory });
    const hooks = Array.from({ length: 10_000 }, (_, index) => ({ hookUrl: `https://hooks.example.com/${index}` }));
    await Promise.all(hooks.map((hook) => tellListener(store, subscribed(hook), { at: day(1) })));
    await rebuild({ store, readModel, projection: listeners });
    await readModel.close();
    await store.close();

    const temporary = temporaryDirectory();
    const command = spawn(process.execPath, [cli, '--json', 'audit', 'verify'], {
      env: { ...environmentOf(directory), TMPDIR: temporary },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(command, 'exit');
    await once(command.stdout, 'data'); // it tells how far it is, with most of it before it
    command.kill('SIGINT');
    await ended; // by the signal, unless this process was so slow that it was done before
    expect(readdirSync(temporary)).to.deep.equal([]);
  });
});
