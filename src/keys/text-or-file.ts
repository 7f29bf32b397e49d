import { readFile } from 'node:fs/promises';
import { UnusableKeys } from './errors.js';

/**
 * Keys are given as their text or as the name of a file that holds it: `isText` tells the two apart.
 * Throws `UnusableKeys`, which names the file, where it cannot be read.
 */
export async function textOrFile(given: string, isText: RegExp, what: string): Promise<string> {
  if (isText.test(given)) return given;
  try {
    return await readFile(given, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error;
    throw new UnusableKeys(`the ${what} cannot be read from the file given: ${reason}`, { cause: error });
  }
}
