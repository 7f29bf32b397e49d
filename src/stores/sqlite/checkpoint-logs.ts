import type { Logger } from 'pino';
import { errorOf, type Failure, startThread } from '../../kernel/thread.js';

/**
 * Moves what has been committed from the write-ahead logs of these databases (by their paths) into their files, again and
 * again, on a thread of its own: the scattered writes and the syncs that it takes would hold up whoever commits. Returns how to
 * end it. Trouble is logged, and tried again; whoever commits moves a log that has become very long (`database-file.ts`).
 */
export async function checkpointLogs(files: readonly string[], log: Logger): Promise<() => Promise<void>> {
  let last: string | undefined;
  const { close } = await startThread(new URL('./checkpoint-thread.js', import.meta.url), files, {
    what: 'the thread that moves logs into databases',
    onTold(value) {
      const failure = value as Failure | undefined; // the one thing that it tells
      if (failure && failure.message !== last) log.warn({ err: errorOf(failure) }, 'a log could not be moved');
      last = failure?.message;
    },
    onFailure: (error) => log.error({ err: error }, 'logs are moved by whoever commits'),
  });
  return close;
}
