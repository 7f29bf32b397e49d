import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateFile } from '../../access/keys/read-or-create-file.js';
import { developmentKeyFiles } from '../../access/keys/service-keys.js';
import { asFileError } from '../../kernel/file-errors.js';
import { CopyRefused } from './errors.js';

/** The names of the key files that development mode generated in a data directory. */
export const keyFilesOf = (directory: string): readonly string[] =>
  developmentKeyFiles.filter((name) => existsSync(join(directory, name)));

/**
 * Copies the key files into another directory, which is created if missing. Each file is synced and has mode 0600.
 * Repeatable. Throws `CopyRefused` where the directory has another key, and `StoreUnavailable` where it cannot be written.
 */
export async function copyKeyFiles(directory: string, target: string): Promise<void> {
  for (const name of keyFilesOf(directory)) {
    const path = join(target, name);
    const key = await readFile(join(directory, name), 'utf8');
    const kept = await readOrCreateFile(path, () => key).catch((error: unknown) => {
      throw asFileError(error);
    });
    if (kept !== key) throw new CopyRefused(`${path} holds another key, which was not replaced`);
  }
}
