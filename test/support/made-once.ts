import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * A directory below `node_modules/.cache` that is made once. Two processes may make it at once: each in its own directory, and the first
 * to finish gives it its name.
 */
export function madeOnce(name: string, make: (directory: string) => void): string {
  const made = resolve('node_modules/.cache', name);
  if (existsSync(made)) return made;
  mkdirSync(dirname(made), { recursive: true });
  const making = mkdtempSync(`${made}-making-`);
  try {
    make(making);
    renameSync(making, made);
  } catch (error) {
    if (!existsSync(made)) throw error; // otherwise another process was first, with the same result
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return made;
}

/** A part of a name that changes with the contents of these files, and with `more`. */
export function contentKey(files: readonly string[], more = ''): string {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(file));
  return digest.update(more).digest('hex').slice(0, 16);
}
