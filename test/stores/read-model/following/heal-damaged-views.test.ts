import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { remove, viewOf } from '../../../../src/stores/read-model/projection.js';
import { rebuild } from '../../../../src/stores/read-model/rebuilding/rebuild.js';
import { keepSetAsideMs } from '../../../../src/stores/read-model/set-aside-limits.js';
import { openSqliteReadModel } from '../../../../src/stores/read-model/sqlite/sqlite-read-model.js';
import { until } from '../../../support/until.js';
import { viewFile } from '../../../support/views/view-file.js';
import { counters, setCounter } from '../counters.js';
import { viewBench } from '../view-bench.js';

const pageBytes = 8_192;

/** Overwrites all pages but the first, in place: connections that have the file open see it. */
function overwriteMiddle(path: string): void {
  const file = openSync(path, 'r+');
  const { size } = fstatSync(file);
  writeSync(file, Buffer.alloc(size - pageBytes, 'x'), 0, size - pageBytes, pageBytes);
  closeSync(file);
}

const damages: readonly (readonly [string, (path: string) => void])[] = [
  ['is truncated to nothing', (path) => truncateSync(path, 0)],
  ['is overwritten in its middle', overwriteMiddle],
  ['is replaced with garbage', (path) => writeFileSync(path, 'this is a shopping list\n'.repeat(4_000))],
];

describe('a view of the embedded store whose file is damaged', () => {
  let bench: ReturnType<typeof viewBench>;
  const view = counters();

  beforeEach(() => {
    bench = viewBench();
  });
  afterEach(() => bench.close());

  const folder = () => join(bench.directory, 'read-models');
  const setAside = () => readdirSync(folder()).filter((entry) => /\.damaged-[\dT.-]+Z$/.test(entry));

  async function filled(): Promise<{ path: string; last: bigint }> {
    let last = -1n;
    for (let count = 0; count < 300; count += 1) last = await setCounter(bench.store, `counter ${count}`, count);
    const follower = bench.started(view);
    await follower.passed(last);
    const build = await bench.readModel.live(view);
    await follower.stop();
    return { path: viewFile(bench.directory, build ?? ''), last };
  }

  /** Moves the log into the file, as a stop of all processes does. */
  async function stopped(): Promise<void> {
    await bench.readModel.close();
  }

  for (const [what, damage] of damages) {
    it(`is set aside and rebuilt where it ${what} before a start`, async () => {
      const { path, last } = await filled();
      await stopped();
      damage(path);

      const readModel = openSqliteReadModel({ directory: bench.directory });
      const follower = bench.started(view, { readModel });
      await follower.passed(last);
      expect(await readModel.get(view, 'counter 299')).to.include({ value: 299 });
      expect(setAside()).to.have.length(1);
      const recorded: string[] = [];
      for await (const { type } of bench.store.readStream('service-views')) recorded.push(type);
      expect(recorded, 'recorded once').to.eql(['ViewDamaged']);
      expect(bench.logged.map(({ msg }) => msg)).to.include(
        'the view was damaged: it has been set aside, and is built again',
      );
      await follower.stop();
      await readModel.close();
    });

    it(`is set aside and rebuilt where it ${what} while it is followed`, async () => {
      const { path, last } = await filled();
      await stopped();
      const readModel = openSqliteReadModel({ directory: bench.directory });
      const follower = bench.started(view, { readModel });
      await follower.passed(last);
      damage(path);

      const next = await setCounter(bench.store, 'counter 300', 300);
      await until(async () => {
        const found = await readModel.get(view, 'counter 7').catch(() => undefined);
        return setAside().length === 1 && found?.value === 7;
      }, 'the view to be healed');
      await follower.passed(next);
      expect(await readModel.get(view, 'counter 300')).to.include({ value: 300 });
      await follower.stop();
      await readModel.close();
    });
  }

  it('says while it is being rebuilt that it was damaged', async () => {
    const { path, last } = await filled();
    await stopped();
    overwriteMiddle(path);
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const claim = await readModel.rebuilds.claim(view); // keeps the rebuild from starting
    const follower = bench.started(view, { readModel });
    await until(() => 'setAside' in follower.status(), 'the note');
    expect(follower.status()).to.include({ build: undefined, caughtUp: false });
    await claim.end();
    await follower.passed(last);
    expect(follower.status()).not.to.have.property('setAside');
    expect(follower.status()).to.include({ setAsides: 1 });
    await follower.stop();
    await readModel.close();
  });

  it('is healed by the service where another process meets the damage', async () => {
    const { path } = await filled();
    await stopped();
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    await until(() => follower.status().caughtUp, 'the view to have caught up');
    overwriteMiddle(path);
    const command = openSqliteReadModel({ directory: bench.directory });
    await command.get(view, 'counter 7').catch(() => undefined);
    await until(async () => {
      const found = await command.get(view, 'counter 7').catch(() => undefined);
      return found?.value === 7;
    }, 'the view to be healed');
    expect(setAside()).to.have.length(1);
    await follower.stop();
    await command.close();
    await readModel.close();
  });

  it('is not set aside more than three times within an hour: then it stays as it is, with its error', async () => {
    const { path: first } = await filled();
    await stopped();
    let path = first;
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    for (let round = 1; round <= 4; round += 1) {
      await until(() => follower.status().caughtUp, 'the view to have caught up');
      const build = (await readModel.live(view)) ?? '';
      path = viewFile(bench.directory, build);
      await readModel.position(view); // its reader has the file open
      writeFileSync(path, '');
      await setCounter(bench.store, `round ${round}`, round);
      await until(async () => {
        await readModel.find(view, { where: {} }).catch(() => undefined);
        return follower.status().build !== build || follower.status().error !== undefined;
      }, 'the damage to be met');
    }
    await until(() => follower.status().error !== undefined, 'the error');
    expect(follower.status().error?.message).to.match(/is damaged|is not a view/);
    expect(setAside()).to.have.length(3);

    const { build } = await rebuild({ store: bench.store, readModel, projection: view }); // as an operator asks for it
    await until(() => follower.status().caughtUp, 'the view to go on');
    expect(follower.status()).to.include({ build });
    await follower.stop();
    await readModel.close();
  });

  it('keeps no removed data in set-aside builds, and none of them for longer than a week', async () => {
    const { path, last } = await filled();
    await stopped();
    overwriteMiddle(path);
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const removing = {
      ...view,
      on: { counter: { CounterSet: () => remove('counter 7') } },
    };
    const follower = bench.started(view, { readModel });
    await follower.passed(last);
    await follower.stop();
    const sizes = () => setAside().map((entry) => statSync(join(folder(), entry)).size);
    await readModel.clearSetAside(view, 60_000);
    expect(sizes().every((size) => size > 0)).to.equal(true);
    const remover = bench.started(removing, { readModel });
    await remover.passed(await setCounter(bench.store, 'counter 300', 300));
    await until(() => sizes().every((size) => size === 0), 'the contents to be removed');
    expect(setAside(), 'still counts').to.have.length(1);
    await remover.stop();
    await readModel.close();

    const old = `${viewOf(view)}-run.db.damaged-2026-01-31T12-00-00.000Z`;
    writeFileSync(join(folder(), old), 'of January');
    const reopened = openSqliteReadModel({ directory: bench.directory });
    await reopened.clearSetAside(view, keepSetAsideMs);
    expect(readdirSync(folder())).not.to.include(old);
    await reopened.close();
  });

  it('is rebuilt where the record of the live builds is damaged before a start', async () => {
    const { last } = await filled();
    await stopped();
    writeFileSync(join(folder(), 'live.db'), 'this is a shopping list\n'.repeat(4_000));
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    await follower.passed(last);
    expect(await readModel.get(view, 'counter 7')).to.include({ value: 7 });
    expect(setAside().filter((entry) => entry.startsWith('live.db'))).to.have.length(1);
    await follower.stop();
    await readModel.close();
  });

  it('is rebuilt where the record of the live builds is damaged while two processes use it', async () => {
    const { last } = await filled();
    await stopped();
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    await follower.passed(last);
    const command = openSqliteReadModel({ directory: bench.directory });
    await command.live(view);
    const live = join(folder(), 'live.db');
    truncateSync(live, 0);
    truncateSync(`${live}-wal`, 0);

    await command.rebuilds.cancel(view).catch(() => undefined); // a write meets the damage
    await until(async () => {
      const found = await Promise.all(
        [readModel, command].map((one) => one.get(view, 'counter 7')).map((each) => each.catch(() => undefined)),
      );
      return found.every((each) => each?.value === 7) && setAside().length === 1;
    }, 'both to read the healed view');
    const next = await setCounter(bench.store, 'counter 300', 300);
    await follower.passed(next);
    expect(await command.get(view, 'counter 300')).to.include({ value: 300 });
    await follower.stop();
    await command.close();
    await readModel.close();
  });

  it('is set aside once where several processes start at once on a damaged record of the live builds', async () => {
    await filled();
    await stopped();
    writeFileSync(join(folder(), 'live.db'), 'this is a shopping list\n'.repeat(4_000));
    const module = fileURLToPath(new URL('./opening-process.js', import.meta.url));
    const children = Array.from({ length: 6 }, () => fork(module, [bench.directory]));
    await Promise.all(children.map((child) => once(child, 'message')));
    for (const child of children) child.send('open');
    const answers = await Promise.all(children.map(async (child) => (await once(child, 'message'))[0]));
    expect(answers).to.deep.equal(children.map(() => ({ live: null })));
    expect(setAside()).to.have.length(1);
    expect(readdirSync(folder()).filter((entry) => /^live.*\.db$/.test(entry))).to.have.length(1);
  });

  it('is rebuilt where all files of the views are deleted while it is followed', async () => {
    const { last } = await filled();
    await stopped();
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    await follower.passed(last);
    for (const entry of readdirSync(folder())) rmSync(join(folder(), entry));
    await until(async () => (await readModel.get(view, 'counter 7').catch(() => undefined))?.value === 7, 'the view');
    const other = openSqliteReadModel({ directory: bench.directory });
    expect(await other.get(view, 'counter 299')).to.include({ value: 299 });
    await follower.stop();
    await other.close();
    await readModel.close();
  });
});
