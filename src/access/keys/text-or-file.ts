import { readFile } from 'node:fs/promises';
import { UnusableKeys } from './errors.js';

/**
 * Keys are given as their text or as the name of a file that holds it: `isText` tells the two apart.
 * Throws `UnusableKeys`, which says why the file cannot be read, and names it unless it may be key material.
 */
export async function textOrFile(given: string, isText: RegExp): Promise<string> {
  if (isText.test(given)) return given;
  try {
    return await readFile(given, 'utf8');
  } catch (error) {
    throw new UnusableKeys(describeReadError(error, isSurelyPath(given) ? given : 'the file given'), { cause: error });
  }
}

/** `/run/keys.json does not exist` and the like, from what reading a file threw. */
export function describeReadError(error: unknown, file: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return `${file} ${reasons[code] ?? `cannot be read (${code})`}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
};

/** A key that was meant as text may stand where a name is expected: one in base64 has no dot, and ends in `=`; JSON has quotes. */
const isSurelyPath = (given: string): boolean =>
  /^[\w./~-]+$/.test(given) && (given.startsWith('/') || given.includes('.'));

/** The keys; what is wrong with them is told with the setting, or the file, that they came from in front. */
export async function nameSourceInErrors<Keys>(source: string, read: () => Promise<Keys> | Keys): Promise<Keys> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnusableKeys)) throw error;
    throw new UnusableKeys(`${source}: ${error.message}`, { cause: error.cause });
  }
}
