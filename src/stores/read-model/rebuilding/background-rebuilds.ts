import type { Logger } from 'pino';
import { RebuildCancelled } from '../errors.js';
import type { Projection } from '../projection.js';
import { type Rebuild, rebuild } from './rebuild.js';

export type BackgroundRebuilds = {
  /**
   * Resolves once the rebuild is under way; rejects with the error of its start, such as `RebuildUnderWay`. A later
   * error is in the log and in `failure`.
   */
  start: (projection: Projection, options: Pick<Rebuild, 'verify'>) => Promise<void>;
  /** Failure of the last rebuild that this process started. */
  failure: (projection: Projection) => string | undefined;
  /** The next rebuild of these views continues them. */
  stop: () => Promise<void>;
};

export function backgroundRebuilds({
  log,
  ...stores
}: Pick<Rebuild, 'store' | 'readModel'> & { log: Logger }): BackgroundRebuilds {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const failures = new Map<string, string>();

  async function run(projection: Projection, options: Pick<Rebuild, 'verify'>, begun: () => void): Promise<void> {
    const about = { projection: projection.name };
    let hasBegun = false;
    const onProgress = () => {
      if (!hasBegun) failures.delete(projection.name);
      hasBegun = true;
      begun();
    };
    try {
      const { signal } = stopping;
      const rebuilt = await rebuild({ ...stores, projection, ...options, signal, onProgress });
      log.info({ ...about, ...rebuilt }, 'the view has been rebuilt');
    } catch (error) {
      if (hasBegun && error !== stopping.signal.reason) {
        failures.set(projection.name, error instanceof Error ? error.message : String(error));
        if (error instanceof RebuildCancelled) log.info(about, 'the rebuild of the view has been cancelled');
        else log.error({ err: error, ...about }, 'the view could not be rebuilt');
      }
      throw error;
    }
  }

  return {
    start(projection, options) {
      return new Promise((resolve, reject) => {
        const ended = run(projection, options, resolve).then(resolve, reject);
        running.add(ended);
        void ended.then(() => running.delete(ended));
      });
    },
    failure: ({ name }) => failures.get(name),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
