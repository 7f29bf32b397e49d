import { type Logger, pino } from 'pino';
import type { EventStore } from '../../src/stores/event-store/event-store.js';
import { openSqliteEventStore } from '../../src/stores/event-store/sqlite/sqlite-event-store.js';
import type { Follower } from '../../src/views/follower.js';
import { type Follow, follow } from '../../src/views/following/follow.js';
import type { Projection } from '../../src/views/projection.js';
import type { ReadModel } from '../../src/views/read-model.js';
import { openSqliteReadModel } from '../../src/views/sqlite/sqlite-read-model.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { counters } from './counters.js';

/** Everything that takes seconds in earnest takes milliseconds here. */
export const timings = { pollMs: 5, graceMs: 50, quietMs: 20, retryMs: 5, maxRetryMs: 20 };

/** A store, a read model, and the followers between them; `close` ends all of it. */
export function viewBench() {
  const directory = temporaryDirectory();
  const store: EventStore = openSqliteEventStore({ directory });
  const readModel: ReadModel = openSqliteReadModel({ directory });
  const running: Follower[] = [];
  const logged: { level: number; msg: string }[] = [];
  const log: Logger = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
  return {
    directory,
    store,
    readModel,
    logged,
    started(projection: Projection, overrides: Partial<Follow> = {}): Follower {
      const follower = follow({ store, readModel, projection, log, timings, ...overrides });
      running.push(follower);
      return follower;
    },
    /** The value of a counter, as queries see it. */
    counted: async (name: string) => (await readModel.get(counters(), name))?.value,
    async close() {
      for (const follower of running) await follower.stop();
      await readModel.close();
      await store.close();
    },
  };
}
