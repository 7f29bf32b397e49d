import { expect } from 'chai';
import { buildName, type Operation, patch, put, removeWhere } from '../../../src/views/projection.js';
import { openSqliteReadModel } from '../../../src/views/sqlite/sqlite-read-model.js';
import { at, things } from '../../contract/read-model/support.js';
import { filesWith } from '../../support/files-with.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { until } from '../../support/until.js';

describe('removed data of a view in a SQLite file', () => {
  for (const bulk of [true, false]) {
    it(`is in no file, after it was ${bulk ? 'loaded' : 'written as it came'} and changed`, async () => {
      const directory = temporaryDirectory();
      const readModel = openSqliteReadModel({ directory });
      const build = await readModel.open(things, buildName(things, 'run-1'), { bulk });
      let position = 0n;
      const apply = async (...operations: Operation[]) => {
        position += 1n;
        await build.apply([at(position, ...operations)], position);
      };
      const keys = Array.from({ length: 300 }, (_, index) => `key-${index}`);
      const orgOf = (index: number) => (index % 3 === 0 ? 'gone' : 'kept');
      await apply(
        ...keys.map((key, index) => put(key, { orgId: orgOf(index), rank: 'a', text: `${orgOf(index)}-secret` })),
      );
      // Rows that grow move to other places, and leave behind what they were.
      for (let round = 1; round <= 6; round += 1) {
        await apply(
          ...keys.map((key, index) => patch(key, { text: `${orgOf(index)}-secret ${'x'.repeat(round * 150)}` })),
        );
      }
      await build.finish();
      expect(filesWith(directory, ['gone-secret'])).not.to.deep.equal([]);
      await apply(removeWhere('orgId', ['gone']));
      await until(() => filesWith(directory, ['gone-secret']).length === 0, 'no trace in any file');
      expect(filesWith(directory, ['kept-secret'])).not.to.deep.equal([]);
      await build.close();
      await readModel.close();
    });
  }
});
