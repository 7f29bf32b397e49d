import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { NotAvailable } from './mongodb-server.js';
import { outputOf } from './output-of.js';
import { projectDirectory, sourceDirectory } from './source-directory.js';

const run = promisify(execFile);
const fetchLimitMs = 300_000;
const compileLimitMs = 60_000;

/** The directory with the jars that pom.xml pins. Maven fetches them once; another pom.xml is another directory. */
export async function standInJars(): Promise<string> {
  const pom = join(sourceDirectory(), 'pom.xml');
  return madeOnce([pom], async (directory) => {
    if ((await outputOf('mvn', ['--version'])) === undefined) {
      throw new NotAvailable('mongo-java-server: no mvn on the PATH to fetch it with');
    }
    await copyDependencies(pom, directory);
  });
}

/** The directory with the classes of StandIn.java, compiled once: Java would otherwise compile it at each start. */
export async function standInClasses(jars: string): Promise<string> {
  const source = join(sourceDirectory(), 'StandIn.java');
  return madeOnce([source, join(sourceDirectory(), 'pom.xml')], async (directory) => {
    await run('javac', ['-cp', join(jars, '*'), '-d', directory, source], { timeout: compileLimitMs });
  });
}

/**
 * A directory that is made once for these sources, and again when one of them changes. Two processes may make it at once:
 * each in a directory of its own, and the first to finish gives it the common name.
 */
async function madeOnce(sources: readonly string[], make: (directory: string) => Promise<void>): Promise<string> {
  const digest = createHash('sha256');
  for (const source of sources) digest.update(await readFile(source));
  const cache = join(projectDirectory(), 'node_modules', '.cache', 'mongodb-double');
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

async function copyDependencies(pom: string, outputDirectory: string): Promise<void> {
  const goal = [
    '--batch-mode',
    '--quiet',
    '--file',
    pom,
    'dependency:copy-dependencies',
    `-DoutputDirectory=${outputDirectory}`,
  ];
  await run('mvn', goal, { timeout: fetchLimitMs }).catch((error: Error & { stdout?: string }) => {
    const said = `${error.stdout ?? ''}`.trim().split('\n').slice(0, 3).join('\n') || error.message;
    throw new NotAvailable(`mongo-java-server: mvn could not fetch it: ${said}`);
  });
}
