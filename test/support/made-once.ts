import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * A directory in `node_modules/.cache` that is made once for these sources, and again when one of them changes. Two processes may
 * make it at once: each in a directory of its own, and the first to finish gives it the common name.
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
