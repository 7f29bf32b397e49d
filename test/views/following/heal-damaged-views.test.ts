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
import { basename, join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { ViewSetAside } from '../../../src/views/errors.js';
import { remove, viewOf } from '../../../src/views/projection.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { rejection } from '../../support/rejection.js';
import { until } from '../../support/until.js';
import { viewFile } from '../../support/views/view-file.js';
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
  afterEach(async () => {
    mock.timers.reset();
    await bench.close();
  });

  const folder = () => join(bench.directory, 'read-models');
  const setAside = () => readdirSync(folder()).filter((entry) => entry.endsWith('.damaged'));

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

  it('is not set aside again within 20 minutes: then it stays as it is, with its error', async () => {
    await filled();
    await stopped();
    const readModel = openSqliteReadModel({ directory: bench.directory });
    const follower = bench.started(view, { readModel });
    for (const round of [1, 2]) {
      await until(() => follower.status().caughtUp, 'the view to have caught up');
      const build = (await readModel.live(view)) ?? '';
      await readModel.position(view); // its reader has the file open
      writeFileSync(viewFile(bench.directory, build), '');
      await setCounter(bench.store, `round ${round}`, round);
      await until(async () => {
        await readModel.find(view, { where: {} }).catch(() => undefined);
        return follower.status().build !== build || follower.status().error !== undefined;
      }, 'the damage to be met');
    }
    await until(() => follower.status().error !== undefined, 'the error');
    expect(follower.status().error?.message).to.match(/is damaged|is not a view/);
    expect(setAside()).to.have.length(1);

    const { build } = await rebuild({ store: bench.store, readModel, projection: view }); // as an operator asks for it
    await until(() => follower.status().caughtUp, 'the view to recover');
    expect(follower.status()).to.include({ build });
    await follower.stop();
    await readModel.close();
  });

  it('is set aside in place of its earlier damaged builds after 20 minutes', async () => {
    const { path, last } = await filled();
    await stopped();
    const earlier = join(folder(), `${viewOf(view)}-run.db.damaged-2026-01-31T12-00-00.000Z`); // as 1.0.0 names it
    writeFileSync(earlier, 'of January');
    truncateSync(path);
    mock.timers.enable({ apis: ['Date'], now: Date.now() + 21 * 60_000 });
    const readModel = openSqliteReadModel({ directory: bench.directory });
    expect(await rejection(readModel.get(view, 'counter 7'))).to.be.instanceOf(ViewSetAside);
    expect(readdirSync(folder()).filter((entry) => entry.includes('.damaged'))).to.deep.equal([
      `${basename(path)}.damaged`,
    ]);
    const follower = bench.started(view, { readModel });
    await follower.passed(last);
    await follower.stop();
    await readModel.close();
  });

  it('keeps no removed data in set-aside builds', async () => {
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
  });

  it('is rebuilt where the record of its live build is damaged while two processes use it', async () => {
    const { last } = await filled();
    const follower = bench.started(view);
    await follower.passed(last);
    const command = openSqliteReadModel({ directory: bench.directory });
    const build = await command.live(view);
    writeFileSync(join(folder(), `${viewOf(view)}.live.json`), 'this is a shopping list\n');

    await until(async () => {
      const found = await Promise.all(
        [bench.readModel, command].map((one) => one.get(view, 'counter 7').catch(() => undefined)),
      );
      return found.every((each) => each?.value === 7);
    }, 'both to read the healed view');
    expect(await command.live(view)).not.to.equal(build);
    await follower.passed(await setCounter(bench.store, 'counter 300', 300));
    expect(await command.get(view, 'counter 300')).to.include({ value: 300 });
    await follower.stop();
    await command.close();
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
