import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, join, resolve } from 'node:path';
import { copyJars } from '../java/copy-jars.js';
import { contentKey, madeOnce } from '../made-once.js';
import { type MongoDbServer, NotAvailable, type StartOptions } from './mongodb-server.js';
import { serveFromDirectory } from './serve-from-directory.js';

const compileLimitMs = 60_000;
const cache = 'mongodb-double';
const source = resolve('test/support/mongodb/StandIn.java');
/** Pins the jars; another pom.xml is another directory. */
const pom = resolve('test/support/mongodb/pom.xml');

/** mongo-java-server with `StandIn.java` around it. Throws `NotAvailable` where there is no JDK, or its jars cannot be had. */
export async function startMongoJavaServer(options: StartOptions): Promise<MongoDbServer> {
  requireCompiler();
  const jars = madeOnce(`${cache}/${contentKey([pom])}`, (directory) => {
    try {
      copyJars(pom, directory);
    } catch (error) {
      throw new NotAvailable(`mongo-java-server: ${(error as Error).message}`);
    }
  });
  // Compiled once: Java would otherwise compile it at each start.
  const classes = madeOnce(`${cache}/${contentKey([source, pom])}`, (directory) => {
    execFileSync('javac', ['-cp', join(jars, '*'), '-d', directory, source], { timeout: compileLimitMs });
  });
  return serveFromDirectory('mongo-java-server', options, (directory, port) => ({
    command: 'java',
    arguments: [
      ...(options.forLoad ? ['-Xmx4g'] : ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx512m']),
      '-Dslf4j.internal.verbosity=ERROR', // it has no logging back end, and need not say so
      ...['-cp', [classes, join(jars, '*')].join(delimiter), 'StandIn'],
      ...['--port', `${port}`, '--data', join(directory, 'data.h2'), '--until-stdin-ends'],
    ],
    ready: /^ready on port \d+$/m,
  }));
}

/** A bare runtime, as Debian's `default-jre`, cannot compile `StandIn.java`. */
function requireCompiler(): void {
  const { error, stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' });
  if (error) throw new NotAvailable('mongo-java-server: no java on the PATH');
  const version = Number(/^jdk\.compiler@(?<major>\d+)/m.exec(stdout)?.groups?.major ?? 0);
  if (version < 17) throw new NotAvailable('mongo-java-server: the java on the PATH is no JDK 17 or newer');
}
