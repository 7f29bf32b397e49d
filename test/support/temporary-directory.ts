import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

process.once('exit', () => {
  for (const directory of made) rmSync(directory, { recursive: true, force: true });
});

/** A new, empty directory, which is gone when the process ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'flow-hooks-'));
  made.push(directory);
  return directory;
}
