import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReadModel } from '../../views/read-model.js';
import { openSqliteReadModel } from '../../views/sqlite/sqlite-read-model.js';

type Work<Result> = (scratch: ReadModel) => Promise<Result>;

/** A read model in its own temporary directory, as large as the views. The directory is removed at the end. */
export async function withScratchReadModel<Result>(work: Work<Result>, directory = newDirectory()): Promise<Result> {
  try {
    const readModel = openSqliteReadModel({ directory });
    return await work(readModel).finally(() => readModel.close());
  } finally {
    remove(directory);
  }
}

/** Works as `withScratchReadModel`, for a command: the directory is removed also if a signal ends the process. */
export async function withScratchUntilSignal<Result>(work: Work<Result>): Promise<Result> {
  const directory = newDirectory();
  const stop = (signal: NodeJS.Signals) => {
    remove(directory);
    process.kill(process.pid, signal); // without this listener it has its default effect
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return withScratchReadModel(work, directory).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop));
}

function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'flow-hooks-verify-'));
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
