import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory } from '../../kernel/make-directory.js';

/**
 * Returns the text of a file; creates the file (mode 0600) with the text of `create` if it does not exist. If two processes
 * create it at once, one wins and both return its text. A crash leaves either no file or the complete file.
 */
export async function readOrCreateFile(path: string, create: () => string): Promise<string> {
  const existing = await readIfExists(path);
  if (existing !== undefined) return existing;

  const directory = dirname(path);
  makeDirectory(directory);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, create());
    // Unlike a rename, a link never replaces a file that another process has created in the meantime.
    await link(draft, path).catch(unless('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(directory);
  return readFile(path, 'utf8');
}

const readIfExists = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(unless('ENOENT'));

const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes names that were added to or changed in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
