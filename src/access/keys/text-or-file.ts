import { readFile } from 'node:fs/promises';
import { UnusableKeys } from './errors.js';

/**
 * Returns `given` if it is the text itself, else the text of the file with this path. Throws `UnusableKeys` with the reason
 * why the file cannot be read; the message contains the path unless it may be key material.
 */
export async function textOrFile(given: string, isText: (given: string) => boolean): Promise<string> {
  if (isText(given)) return given;
  try {
    return await readFile(given, 'utf8');
  } catch (error) {
    throw new UnusableKeys(describeReadError(error, printablePath(given)), { cause: error });
  }
}

/** Describes an error from reading a file: `/run/keys.json does not exist`. */
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

/** The path of a file for a message, unless it may be key material. */
export const printablePath = (given: string): string => (isSurelyPath(given) ? given : 'the file given');

/** Whether a value cannot be key material: base64 has no dot and may end in `=`; JSON has quotes. */
const isSurelyPath = (given: string): boolean =>
  /^[\w./~-]+$/.test(given) && (given.startsWith('/') || given.includes('.'));

/** Reads keys; the message of `UnusableKeys` gets the setting or file that they come from as a prefix. */
export async function nameSourceInErrors<Keys>(source: string, read: () => Promise<Keys> | Keys): Promise<Keys> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnusableKeys)) throw error;
    throw new UnusableKeys(`${source}: ${error.message}`, { cause: error.cause });
  }
}
