import { resolve } from 'node:path';
import { pino } from 'pino';
import { everyInterval } from '../kernel/shared-interval.js';
import { version } from '../kernel/version.js';
import { type Config, readConfig } from './config/config.js';
import { dataDirectoryGiven } from './config/settings.js';
import { type Service, startService } from './service.js';
import { startFailure } from './start-failure.js';
import { welcome } from './welcome.js';

/**
 * Reads the settings, starts the service, and stops it on a signal: gracefully on the first, at once on the second. If
 * npm has started it, npm's end stops it too. Resolves once it serves. If it cannot start, it prints one line for each
 * reason on standard error and sets exit code 1.
 */
export async function serve(environment: NodeJS.ProcessEnv): Promise<void> {
  try {
    await start(environment);
  } catch (error) {
    const dataDirectory = resolve(dataDirectoryGiven(environment));
    for (const line of startFailure(error, dataDirectory)) process.stderr.write(`flow-hooks: ${line}\n`);
    process.exitCode = 1;
  }
}

async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  process.stdout.write(`Starting Flow Hooks ${version} in ${config.mode} mode on Node ${process.versions.node} …\n`);
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: false }));
  const service = await startService(config, log);
  stopOnSignal(service, config);
  process.stdout.write(`${welcome(config, service.origin)}\n`);
}

/** Signals within this interval count as one: npm forwards a signal that the terminal has also sent to this process. */
const sameSignalMs = 500;

function stopOnSignal(service: Service, { http }: Config): void {
  let stoppingSince: number | undefined;
  const stop = async () => {
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    await service.stop(http.stopTimeoutMs);
    process.exit(0);
  };
  const onSignal = () => {
    if (stoppingSince !== undefined && performance.now() - stoppingSince > sameSignalMs) process.exit(130);
    void stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  void endOfNpm().then(stop);
}

/** Interval between checks of the parent process. */
const pollIntervalMs = 250;

/** Read when this module is loaded: npm may end during the start. */
const parent = process.ppid;

/**
 * Resolves once the `npm start` or `npx` that has started this process has ended; never if neither has started it. A signal
 * to npm alone, such as `kill $!` sends, ends the shell between npm and this process, which does not forward it.
 */
export async function endOfNpm(): Promise<void> {
  if (!['start', 'npx'].includes(process.env.npm_lifecycle_event ?? '')) return new Promise(() => undefined);
  return new Promise((resolve) => {
    const stop = everyInterval(pollIntervalMs, () => {
      if (process.ppid === parent) return;
      stop();
      resolve();
    });
  });
}
