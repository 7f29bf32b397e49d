import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyJars } from '../java/copy-jars.js';
import { madeOnce } from '../made-once.js';
import { NotAvailable } from './mongodb-server.js';
import { sourceDirectory } from './source-directory.js';

const run = promisify(execFile);
const compileLimitMs = 60_000;
const cache = 'mongodb-double';

/** The directory with the jars that pom.xml pins. Maven fetches them once; another pom.xml is another directory. */
export async function standInJars(): Promise<string> {
  const pom = join(sourceDirectory(), 'pom.xml');
  return madeOnce(cache, [pom], (directory) =>
    copyJars(pom, directory).catch((error: Error) => {
      throw new NotAvailable(`mongo-java-server: ${error.message}`);
    }),
  );
}

/** The directory with the classes of StandIn.java, compiled once: Java would otherwise compile it at each start. */
export async function standInClasses(jars: string): Promise<string> {
  const source = join(sourceDirectory(), 'StandIn.java');
  return madeOnce(cache, [source, join(sourceDirectory(), 'pom.xml')], async (directory) => {
    await run('javac', ['-cp', join(jars, '*'), '-d', directory, source], { timeout: compileLimitMs });
  });
}
