// npm run eventstoredb:double -- [--port N] [--data FILE] [--version 23.10|24.10|26.1] [--control-port N] [--until-stdin-ends]
// Runs the double by itself. Prints where it can be controlled, if asked for, then, when it is ready, its connection
// string. Stops on SIGTERM or SIGINT, and where it was asked for, when its standard input ends. A port of 0 is one that is
// free.

import { parseArgs } from 'node:util';
import { startControlServer } from './control-server.js';
import { isVersionName, versionNames } from './server-version.js';
import { startEventStoreDouble } from './start-double.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    version: { type: 'string', default: '23.10' },
    'control-port': { type: 'string' },
    'until-stdin-ends': { type: 'boolean' },
  },
});

if (!isVersionName(values.version)) throw new Error(`--version is one of ${versionNames.join(', ')}`);
const double = await startEventStoreDouble({
  port: Number(values.port ?? 0),
  version: values.version,
  ...(values.data !== undefined && { dataFile: values.data }),
});
const controlPort = values['control-port'];
const control = controlPort === undefined ? undefined : await startControlServer(double, Number(controlPort));
if (control) console.log(control.url);
console.log(double.url);

async function stop(): Promise<void> {
  control?.close();
  await double.stop();
  process.exit();
}
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
// The process that started it was killed, or has failed: none is left to send SIGTERM.
if (values['until-stdin-ends']) process.stdin.once('end', stop).resume();
