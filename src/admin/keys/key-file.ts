import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../../access/keys/read-or-create-file.js';
import { asFileError } from '../../kernel/file-errors.js';
import { KeyFileLocked } from './errors.js';

/** Permissions that a key file keeps: those of its owner, and reading by its group. */
const keptMode = 0o640;

export type KeyFile = { readonly text: string; readonly replace: (text: string) => Promise<void> };

/**
 * Reads a key file for a change of it, while no other command changes it. `replace` replaces its text at once: readers, and a
 * crash at any time, see either the old or the new text. The file keeps its owner, and its mode without permissions that no key file needs; a
 * symbolic link keeps pointing to its file. Throws `KeyFileLocked`, and `StoreUnavailable` for errors of the file system.
 */
export async function changeKeyFile<Result>(path: string, change: (file: KeyFile) => Promise<Result>): Promise<Result> {
  const target = await realpath(path).catch(failing);
  const lock = `${target}.lock`;
  const locked = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') return failing(error);
    throw new KeyFileLocked(`another command changes ${path}; if there is none, delete ${lock}, which one has left`);
  });
  try {
    const text = await readFile(target, 'utf8').catch(failing);
    return await change({ text, replace: (next) => replaceFile(target, next).catch(failing) });
  } finally {
    await locked.close();
    await rm(lock, { force: true });
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const { uid, gid, mode } = await stat(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      const made = await file.stat();
      if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid); // a service of another user has to read it
      await file.chmod((mode & keptMode) | 0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
}

const failing = (error: unknown): never => {
  throw asFileError(error);
};
