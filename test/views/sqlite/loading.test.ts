import { expect } from 'chai';
import { StoreUnavailable } from '../../../src/kernel/store-errors.js';
import { buildName, patch, put, remove } from '../../../src/views/projection.js';
import type { Build, EventOperations, ReadModel } from '../../../src/views/read-model.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { at, thing, things } from '../../contract/read-model/support.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { changeViewFile } from '../../support/views/view-file.js';

const loaded = buildName(things, 'loaded');
const written = buildName(things, 'written');

describe('loading a build in a SQLite file', () => {
  let directory: string;
  let readModel: ReadModel;

  beforeEach(() => {
    directory = temporaryDirectory();
    readModel = openSqliteReadModel({ directory });
  });
  afterEach(() => readModel.close());

  const change = (sql: string) => changeViewFile(directory, loaded, sql);
  const opened = (): Promise<Build> => readModel.open(things, loaded, { bulk: true });

  async function documentsOf(build: Build) {
    const all = [];
    for (let after: string | undefined; ; after = all.at(-1)?.key) {
      const page = await build.page({ limit: 1_000, ...(after !== undefined && { after }) });
      all.push(...page);
      if (page.length < 1_000) return all;
    }
  }

  /** Documents of half a kilobyte, of which some are changed in one way, some in another, and some are removed later. */
  function batch(number: number, size: number): { operations: EventOperations[]; position: bigint } {
    const operations = Array.from({ length: size }, (_, index) => {
      const place = number * size + index;
      const earlier = `key-${Math.floor(place / 2)}`;
      const text = `"${place}" é ${'x'.repeat(400)}`;
      return at(
        BigInt(place),
        put(`key-${place}`, {
          orgId: `org-${place % 7}`,
          rank: `${place}`,
          isOdd: place % 2 === 1,
          text,
          list: [null, 1.5],
        }),
        ...(place % 3 === 0 ? [patch(earlier, { isOdd: null, text: `changed ${place}` })] : []),
        ...(place % 3 === 1 ? [patch(earlier, { nested: { deep: [true] }, rank: 'a' })] : []),
        ...(place % 11 === 0 ? [remove(earlier)] : []),
      );
    });
    return { operations, position: BigInt((number + 1) * size - 1) };
  }

  it('has the same result as one written event by event, also once it is large and has a thread', async () => {
    const [loading, beside] = [await opened(), await readModel.open(things, written)];
    for (let number = 0; number < 16; number += 1) {
      const { operations, position } = batch(number, 1_000);
      await loading.apply(operations, position);
      await beside.apply(operations, position);
      if (number % 5 === 0) expect(await loading.checkpoint()).to.deep.equal({ position });
      if (number % 5 === 0) expect(await loading.get('key-0')).to.deep.equal(await beside.get('key-0'));
    }
    await loading.finish();
    const { operations, position } = batch(16, 1_000);
    await loading.apply(operations, position);
    await beside.apply(operations, position);
    expect(await documentsOf(loading)).to.deep.equal(await documentsOf(beside));
    await loading.close();
    await beside.close();
  });

  it('continues before a failed batch, which is rolled back completely', async () => {
    const loading = await opened();
    await loading.apply([at(1n, thing('a'))], 1n);
    await loading.close();
    change(
      `CREATE TRIGGER refuse BEFORE UPDATE ON progress WHEN new.position = 2 BEGIN SELECT raise(ABORT, 'full'); END`,
    );

    const failing = await opened();
    expect(await rejection(failing.apply([at(2n, thing('b'))], 2n))).to.be.instanceOf(StoreUnavailable);
    await failing.close();

    change('DROP TRIGGER refuse');
    const again = await opened();
    expect(await again.checkpoint()).to.deep.equal({ position: 1n });
    expect(await again.get('b')).to.equal(undefined);
    await again.close();
  });

  it('leaves the file to others if the last load cannot be committed', async () => {
    const loading = await opened();
    await loading.apply([at(1n, thing('a'))], 1n);
    await loading.close();
    change(`
      CREATE TABLE nobody (id INTEGER PRIMARY KEY);
      CREATE TABLE refused (id INTEGER REFERENCES nobody DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER refuse AFTER UPDATE ON progress BEGIN INSERT INTO refused VALUES (1); END`);

    const failing = await opened();
    await failing.apply([at(2n, thing('b'))], 2n);
    expect(await rejection(failing.close())).to.be.instanceOf(StoreUnavailable);

    change('DROP TRIGGER refuse');
    const again = await opened();
    expect(await again.checkpoint()).to.deep.equal({ position: 1n });
    await again.close();
  });

  it('continues with a finished build that is not live yet', async () => {
    const loading = await opened();
    await loading.apply([at(1n, thing('a'))], 1n);
    await loading.finish();
    await loading.close();
    change('SELECT 1');
    const again = await opened();
    await again.apply([at(2n, thing('b'))], 2n);
    await again.finish();
    await again.close();
    await readModel.flip(things, loaded);
    expect(await readModel.get(things, 'b')).to.include({ name: 'b' });
  });
});
