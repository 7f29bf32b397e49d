import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/**
 * A directory in `node_modules/.cache` that is made once for these sources, and again when one of them changes. Two processes may
 * make it at once: each in its own directory, and the first to finish gives it the common name.
 *
 * @param name of the folder in the cache
 * @param sources paths of files
 */
export async function madeOnce(
  name: string,
  sources: readonly string[],
  make: (directory: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) digest.update(await readFile(source));
  const cache = resolve('node_modules/.cache', name);
  const made = join(cache, digest.digest('hex').slice(0, 16));
  if (existsSync(made)) return made;

  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-'));
  try {
    await make(making);
    await rename(making, made).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(made)) throw error; // otherwise the other process was first, with the same result
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return made;
}

/** The same, for what is needed while tests are defined: `made` itself, a directory in a cache. */
export function madeOnceSync(made: string, make: (directory: string) => void): string {
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
