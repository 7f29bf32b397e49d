import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadModel } from '../../stores/read-model/read-model.js';
import { openSqliteReadModel } from '../../stores/read-model/sqlite/sqlite-read-model.js';

/**
 * A read model in a temporary directory of its own, which takes as much room as the views do. It goes at the end, also where
 * that is a signal.
 */
export async function withScratchReadModel<Result>(work: (scratch: ReadModel) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'flow-hooks-verify-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  const stop = (signal: NodeJS.Signals) => {
    remove();
    process.kill(process.pid, signal); // now it does what it does to whoever does not listen
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
