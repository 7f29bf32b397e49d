import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../temporary-directory.js';

/** A request that was handed over to a socket. */
type HandOver = {
  url: string;
  /** Time of the machine's monotonic clock, which all of its processes share: `process.hrtime.bigint()`. */
  atNs: bigint;
};

export type HandOvers = {
  /** Settings of each instance. */
  environment: Readonly<Record<string, string>>;
  /** All so far, of all instances. */
  read: () => readonly HandOver[];
};

/**
 * Makes instances record the time at which each request goes to its socket, by undici's diagnostics channel, and
 * connect slowly to the listeners on this port.
 */
export function recordHandOvers(slowPort: number): HandOvers {
  const file = join(temporaryDirectory(), 'hand-overs');
  writeFileSync(file, '');
  return {
    environment: {
      HAND_OVERS: file,
      SLOW_CONNECT_PORT: `${slowPort}`,
      // On a busy machine a connection may take too long, which is not to block an ordered listener for minutes.
      RETRY_SCHEDULE: Array(20).fill('1s').join(),
      NODE_OPTIONS: preload('record-hand-overs.js', 'slow-connect.js'),
    },
    read: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1) // after the last end of a line there is nothing, or a line that is being written
        .map((line) => {
          const [atNs = '', url = ''] = line.split(' ');
          return { atNs: BigInt(atNs), url };
        }),
  };
}

const preload = (...files: readonly string[]): string =>
  files.map((file) => `--import ${new URL(file, import.meta.url).href}`).join(' ');
