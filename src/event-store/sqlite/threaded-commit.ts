import { type Failure, startDatabaseThread } from '../../data-directory/database-thread.js';
import { WrongExpectedRevision } from '../errors.js';
import type { AppendMethods, AppendThreadData } from './append-thread.js';
import type { GroupCommit } from './group-commit.js';

/** As `groupCommit`, on a thread of its own: one group is committed while the next gathers. */
export function threadedCommit(data: AppendThreadData, onCommit: () => void): GroupCommit {
  const thread = startDatabaseThread<AppendMethods>(new URL('./append-thread.js', import.meta.url), data, {
    what: 'the event store',
    revive: conflict,
  });
  return {
    async append(append) {
      const result = await thread.call('append', append);
      onCommit();
      return result;
    },
    drained: thread.close,
  };
}

function conflict({ code, fields }: Failure): Error | undefined {
  if (code !== 'wrong_expected_revision') return undefined;
  const { stream, expected, actual } = fields as WrongExpectedRevision; // made of its fields
  return new WrongExpectedRevision(stream, expected, actual);
}
