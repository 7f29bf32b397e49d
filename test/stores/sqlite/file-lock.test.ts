import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { DirectoryInUse } from '../../../src/kernel/store-errors.js';
import { openSqliteEventStore } from '../../../src/stores/event-store/sqlite/sqlite-event-store.js';
import { lockDataDirectory } from '../../../src/stores/sqlite/file-lock.js';
import { startModule } from '../../support/process.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const lockHolder = new URL('lock-holder.js', import.meta.url);

describe('the lock of a data directory', () => {
  it('is for one service at a time, and free again once released', () => {
    const directory = join(temporaryDirectory(), 'data');
    const lock = lockDataDirectory(directory);
    expect(() => lockDataDirectory(directory)).to.throw(DirectoryInUse);
    lock.release();
    lock.release();
    lockDataDirectory(directory).release();
    expect(statSync(join(directory, 'service.lock')).mode & 0o777).to.equal(0o600);
  });

  it('names the directory and the process that has it, and is free once that is killed', async () => {
    const directory = temporaryDirectory();
    const program = startModule(lockHolder, directory);
    const [pid] = await program.prints(/^\d+$/m); // it has the lock
    expect(() => lockDataDirectory(directory))
      .to.throw(DirectoryInUse)
      .with.property('message', `another service (process ${pid}) has the data directory ${directory} open`);
    await program.stop('SIGKILL');
    lockDataDirectory(directory).release();
  });

  it('keeps no command from reading and appending beside the service', async () => {
    const directory = temporaryDirectory();
    const lock = lockDataDirectory(directory);
    const store = openSqliteEventStore({ directory });
    expect(await store.head()).to.equal(-1n);
    await store.close();
    lock.release();
  });
});
