import type { TaskLog } from '../../kernel/log.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { RebuildCancelled } from '../errors.js';
import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import { type Rebuilt, rebuild } from './rebuild.js';

export type ViewRebuilds = {
  /**
   * Resolves once the rebuild is under way; rejects with the error of its start, such as `RebuildUnderWay`. A later
   * error is in the log and in `last`.
   */
  start: (projection: Projection, options: { verify?: boolean }) => Promise<void>;
  /** Result of the last rebuild that this process started, or the error that ended it. */
  last: (projection: Projection) => { rebuilt?: Rebuilt; failure?: string };
};

export type BackgroundRebuilds = ViewRebuilds & {
  /** The next rebuild of these views continues them. */
  stop: () => Promise<void>;
};

export function backgroundRebuilds({
  log,
  ...stores
}: {
  store: EventStore;
  readModel: ReadModel;
  log: TaskLog;
}): BackgroundRebuilds {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const results = new Map<string, ReturnType<BackgroundRebuilds['last']>>();

  async function run(projection: Projection, options: { verify?: boolean }, begun: () => void): Promise<void> {
    const about = { projection: projection.name };
    let hasBegun = false;
    const onProgress = () => {
      if (!hasBegun) results.delete(projection.name);
      hasBegun = true;
      begun();
    };
    try {
      const { signal } = stopping;
      const rebuilt = await rebuild({ ...stores, projection, ...options, signal, onProgress });
      results.set(projection.name, { rebuilt });
      log.info({ ...about, ...rebuilt }, 'the view has been rebuilt');
    } catch (error) {
      if (hasBegun && error !== stopping.signal.reason) {
        results.set(projection.name, { failure: error instanceof Error ? error.message : String(error) });
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
    last: ({ name }) => results.get(name) ?? {},
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
