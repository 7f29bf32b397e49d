import { openDatabaseFile } from '../../data-directory/database-file.js';
import { serveDatabase } from '../../data-directory/database-thread.js';
import { groupCommit } from './group-commit.js';
import { eventsFile } from './schema.js';
import type { Append } from './write-append.js';

export type AppendThreadData = {
  readonly directory: string;
  readonly blockingTimeoutMs: number;
  readonly busyTimeoutMs: number;
};

/** What the thread does; only its type is of interest elsewhere. */
export type AppendMethods = ReturnType<typeof open>;

const open = ({ directory, blockingTimeoutMs, busyTimeoutMs }: AppendThreadData) => {
  const database = openDatabaseFile(directory, eventsFile, { busyTimeoutMs: blockingTimeoutMs });
  const commits = groupCommit(database, { clock: () => new Date(), busyTimeoutMs, onCommit: () => undefined });
  return {
    append: (append: Append) => commits.append(append),
    async close() {
      await commits.drained();
      database.close();
    },
  };
};

serveDatabase(open);
