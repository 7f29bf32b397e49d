import { delimiter, join } from 'node:path';
import { type MongoDbServer, NotAvailable, type StartOptions } from './mongodb-server.js';
import { outputOf } from './output-of.js';
import { serveFromDirectory } from './serve-from-directory.js';
import { standInClasses, standInJars } from './stand-in-jars.js';

/** mongo-java-server with `StandIn.java` around it. */
export async function startMongoJavaServer(options: StartOptions): Promise<MongoDbServer> {
  const jars = await requiredJars();
  const classes = await standInClasses(jars);
  return serveFromDirectory('mongo-java-server', options, (directory, port) => ({
    command: 'java',
    arguments: [
      ...(options.forLoad ? ['-Xmx4g'] : ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xmx512m']),
      '-Dslf4j.internal.verbosity=ERROR', // it has no logging back end, and need not say so
      ...['-cp', [classes, join(jars, '*')].join(delimiter), 'StandIn'],
      ...['--port', `${port}`, '--data', join(directory, 'data.h2'), '--until-stdin-ends'],
    ],
    ready: /^ready on port (?<port>\d+)$/,
  }));
}

/** Throws `NotAvailable` where they cannot be had, or there is no Java to run them. */
async function requiredJars(): Promise<string> {
  await javaWithCompiler();
  return standInJars();
}

/** A bare runtime, as Debian's `default-jre`, cannot compile `StandIn.java`. */
async function javaWithCompiler(): Promise<void> {
  const modules = await outputOf('java', ['--list-modules']);
  if (modules === undefined) throw new NotAvailable('mongo-java-server: no java on the PATH');
  const version = Number(/^jdk\.compiler@(?<major>\d+)/m.exec(modules)?.groups?.major ?? 0);
  if (version < 17) throw new NotAvailable('mongo-java-server: the java on the PATH is no JDK 17 or newer');
}
