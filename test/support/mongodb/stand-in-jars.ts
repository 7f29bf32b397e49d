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

/**
 * The directory with the jars that pom.xml pins. Maven fetches them once for each version of pom.xml. Of two processes
 * that fetch at once, each uses a directory of its own, and the first to finish renames it to the common name.
 */
export async function standInJars(): Promise<string> {
  const pom = join(sourceDirectory(), 'pom.xml');
  const digest = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex')
    .slice(0, 16);
  const cache = join(projectDirectory(), 'node_modules', '.cache', 'mongodb-double');
  const jars = join(cache, digest);
  if (existsSync(jars)) return jars;

  if ((await outputOf('mvn', ['--version'])) === undefined) {
    throw new NotAvailable('mongo-java-server: no mvn on the PATH to fetch it with');
  }
  await mkdir(cache, { recursive: true });
  const fetched = await mkdtemp(join(cache, 'fetching-'));
  try {
    await copyDependencies(pom, fetched);
    await rename(fetched, jars).catch((error: NodeJS.ErrnoException) => {
      if (!existsSync(jars)) throw error; // otherwise another process was first, with the same jars
    });
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
  return jars;
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
    const reason = `${error.stdout ?? ''}`.trim().split('\n').slice(0, 3).join('\n') || error.message;
    throw new NotAvailable(`mongo-java-server: mvn could not fetch it: ${reason}`);
  });
}
