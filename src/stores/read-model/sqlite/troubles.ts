import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import { viewOf } from '../build-name.js';
import type { ReadModel } from '../read-model.js';
import type { ViewsFile } from './views-file.js';

type Row = { readonly message: string; readonly position: string | null; readonly since: string };

/** The errors that stop views, as rows. */
export function openTroubles({ path, database }: ViewsFile): Pick<ReadModel, 'trouble' | 'noteTrouble'> {
  const find = database.prepare<[string], Row>('SELECT message, position, since FROM troubles WHERE view = ?');
  const put = database.prepare('INSERT OR REPLACE INTO troubles VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM troubles WHERE view = ?');
  return {
    async trouble(projection) {
      const row = withStoreErrors(path, () => find.get(viewOf(projection)));
      return row && { ...row, position: row.position === null ? undefined : BigInt(row.position) };
    },
    async noteTrouble(projection, trouble) {
      withStoreErrors(path, () => {
        if (trouble) put.run(viewOf(projection), trouble.message, trouble.position?.toString() ?? null, trouble.since);
        else remove.run(viewOf(projection));
      });
    },
  };
}
