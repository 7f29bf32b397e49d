import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { openSqliteReadModel } from '../../stores/read-model/sqlite/sqlite-read-model.js';

/**
 * A read model in a temporary directory of its own, as large as the views. The directory is removed at the end, also if a
 * signal ends the process.
 */
export async function withScratchReadModel<Result>(work: (scratch: ReadModel) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-hooks-verify-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal); // without this listener it has its default effect
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const scratch = openSqliteReadModel({ directory });
    return await work(scratch).finally(() => scratch.close());
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    remove();
  }
}
