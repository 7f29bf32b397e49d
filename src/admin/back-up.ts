import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { developmentKeyFiles } from '../access/keys/service-keys.js';
import { makeDirectory, syncDirectory } from '../kernel/directories.js';
import { DomainError } from '../kernel/domain-error.js';
import { asFileError } from '../kernel/store-errors.js';

class BackupTargetTaken extends DomainError {
  readonly code = 'backup_target_taken';
}

export type BackedUp = { file: string; bytes: number };

type EmbeddedDatabase = {
  file: string;
  /** A consistent snapshot, also while a service writes. Throws `StoreUnavailable` and `StoreUnusable`. */
  copy: (directory: string, target: string) => Promise<void>;
};

/**
 * Copies the databases in their order, and the development keys, into an empty or new directory, also while a service runs;
 * the name is given once all is synced. Throws `BackupTargetTaken`, `StoreUnavailable` and `StoreUnusable`.
 */
export async function backUp(
  databases: readonly EmbeddedDatabase[],
  directory: string,
  to: string,
): Promise<readonly BackedUp[]> {
  const target = existsSync(to) ? realpathSync(to) : to; // a link keeps pointing to the copy
  const unfinished = `${target}.unfinished-${randomUUID().slice(0, 8)}`;
  try {
    requireSameFileSystem(target);
    await requireEmpty(target);
    makeDirectory(unfinished, 0o700);
  } catch (error) {
    throw asFileError(error);
  }
  try {
    const copied = await copyInto(unfinished, databases, directory);
    await syncDirectory(unfinished);
    await rename(unfinished, target); // fails if no longer empty
    await syncDirectory(dirname(target));
    return copied;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw asFileError(error);
  }
}

async function copyInto(
  target: string,
  databases: readonly EmbeddedDatabase[],
  directory: string,
): Promise<readonly BackedUp[]> {
  for (const { copy } of databases) await copy(directory, target);
  const copied: BackedUp[] = databases.map(({ file }) => ({ file, bytes: statSync(join(target, file)).size }));
  for (const file of developmentKeyFiles.filter((name) => existsSync(join(directory, name)))) {
    const content = await readFile(join(directory, file));
    await writeFile(join(target, file), content, { mode: 0o600, flush: true });
    copied.push({ file, bytes: content.length });
  }
  return copied;
}

/** A mount point cannot be replaced by a rename. */
function requireSameFileSystem(target: string): void {
  if (!existsSync(target) || statSync(target).dev === statSync(dirname(target)).dev) return;
  throw new BackupTargetTaken(`${target} is a mount point: name a directory within it`);
}

async function requireEmpty(target: string): Promise<void> {
  const found = await readdir(target).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw error.code === 'ENOTDIR' ? new BackupTargetTaken(`${target} is not a directory`) : error;
  });
  if (found.length > 0) throw new BackupTargetTaken(`${target} is not empty: a backup goes to its own directory`);
}
