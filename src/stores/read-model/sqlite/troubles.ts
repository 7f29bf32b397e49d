import { viewOf } from '../build-name.js';
import type { ReadModel } from '../read-model.js';
import type { ViewsFile } from './views-file.js';

type Row = { readonly message: string; readonly position: string | null; readonly since: string };

export function openTroubles({ get, run }: ViewsFile): Pick<ReadModel, 'trouble' | 'noteTrouble'> {
  return {
    async trouble(projection) {
      const row = get<Row>('SELECT message, position, since FROM troubles WHERE view = ?', viewOf(projection));
      return row && { ...row, position: row.position === null ? undefined : BigInt(row.position) };
    },
    async noteTrouble(projection, trouble) {
      const view = viewOf(projection);
      if (!trouble) return run('DELETE FROM troubles WHERE view = ?', view);
      const { message, position, since } = trouble;
      run('INSERT OR REPLACE INTO troubles VALUES (?, ?, ?, ?)', view, message, position?.toString() ?? null, since);
    },
  };
}
