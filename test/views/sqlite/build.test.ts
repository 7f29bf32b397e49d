import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { StoreUnavailable, StoreUnusable } from '../../../src/kernel/store-errors.js';
import { ViewSetAside } from '../../../src/views/errors.js';
import { buildName } from '../../../src/views/projection.js';
import type { Build, ReadModel } from '../../../src/views/read-model.js';
import { schemaVersion } from '../../../src/views/sqlite/schema.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { at, liveBuild, thing, things } from '../../contract/read-model/support.js';
import { rejection } from '../../support/rejection.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { changeViewFile, viewFile } from '../../support/views/view-file.js';

const name = buildName(things, 'run-1');

describe('a build in a SQLite file', () => {
  let directory: string;
  let readModel: ReadModel;

  beforeEach(() => {
    directory = temporaryDirectory();
    readModel = openSqliteReadModel({ directory });
  });
  afterEach(() => readModel.close());

  const change = (sql: string) => changeViewFile(directory, name, sql);
  const reopened = async (): Promise<Build> => readModel.open(things, name);

  it('has neither documents nor checkpoint of a batch that the database refuses half-way', async () => {
    const build = await liveBuild(readModel);
    await build.apply([at(1n, thing('a'))], 1n);
    change(
      `CREATE TRIGGER refuse BEFORE UPDATE ON progress WHEN new.position = 3 BEGIN SELECT raise(ABORT, 'full'); END`,
    );

    expect(await rejection(build.apply([at(2n, thing('b')), at(3n, thing('c'))], 3n))).to.be.instanceOf(
      StoreUnavailable,
    );
    expect(await readModel.get(things, 'b')).to.equal(undefined);
    expect(await build.checkpoint()).to.deep.equal({ position: 1n });

    change('DROP TRIGGER refuse');
    await build.apply([at(2n, thing('b')), at(3n, thing('c'))], 3n);
    expect(await readModel.get(things, 'c')).to.include({ name: 'c' });
    await build.close();
  });

  it('is refused, and left as it is, where it is of another schema', async () => {
    await (await liveBuild(readModel)).close();
    change('PRAGMA user_version = 99');
    const failure = await rejection(reopened());
    expect(failure).to.be.instanceOf(StoreUnusable);
    expect((failure as Error).message).to.match(/is of schema 99/);
    expect(await readModel.builds(things)).to.deep.equal([name]);
  });

  it('is set aside where it is not ours or unfinished, and refused where it is damaged and not live', async () => {
    const cases = [
      ['PRAGMA application_id = 7', /not a view of this service/],
      [`PRAGMA user_version = -${schemaVersion}`, /left before it was finished/],
    ] as const;
    for (const [sql, message] of cases) {
      await (await liveBuild(readModel)).close();
      change(sql);
      const failure = await rejection(reopened());
      expect(failure, sql).to.be.instanceOf(ViewSetAside);
      expect((failure as Error).message).to.match(message);
      expect(await readModel.builds(things)).to.deep.equal([]);
      await readModel.drop(name);
    }
    writeFileSync(viewFile(directory, name), 'this is a shopping list, and no database at all'.repeat(100));
    expect(await rejection(reopened())).to.be.instanceOf(StoreUnusable);
  });

  it('gets neither queries nor later events before it is finished', async () => {
    const loading = await readModel.open(things, name, { bulk: true });
    await loading.apply([at(1n, thing('a'))], 1n);
    await loading.close();
    expect(await rejection(readModel.flip(things, name))).to.be.instanceOf(StoreUnusable);
    expect(await readModel.live(things)).to.equal(undefined);
  });

  it('leaves no file behind when it is dropped', async () => {
    const build = await liveBuild(readModel);
    await build.apply([at(1n, thing('a'))], 1n);
    await build.close();
    await readModel.drop(name);
    expect(readdirSync(join(directory, 'read-models')).filter((entry) => entry.startsWith(name))).to.deep.equal([]);
  });

  it('is no longer live when its file has been deleted', async () => {
    await (await liveBuild(readModel)).close();
    const another = openSqliteReadModel({ directory });
    rmSync(viewFile(directory, name));
    expect(await another.live(things)).to.equal(undefined);
    expect(await rejection(another.get(things, 'a'))).to.be.instanceOf(StoreUnavailable);
    await another.close();
  });

  it('takes no name that leads elsewhere', async () => {
    for (const strange of ['../things-v1-run', 'things', 'things-v1-', '/things-v1-run', 'things-v1-run/../../x']) {
      expect(await rejection(readModel.open(things, strange)), strange).to.be.instanceOf(RangeError);
    }
  });
});
