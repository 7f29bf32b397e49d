import type { Logger } from 'pino';
import { errorOf, type Failure } from '../../kernel/threads/failure.js';
import { startThread } from '../../kernel/threads/thread.js';

/**
 * Checkpoints the WALs of these paths on its own thread: the scattered writes and syncs would delay commits.
 * Errors are logged and retried; commits checkpoint a very long WAL (`database-file.ts`). Returns the function that
 * ends it.
 */
export async function checkpointLogs(files: readonly string[], log: Logger): Promise<() => Promise<void>> {
  let last: string | undefined;
  const { close } = await startThread(new URL('./checkpoint-thread.js', import.meta.url), files, {
    what: 'the thread that moves logs into databases',
    onMessage(value) {
      const failure = value as Failure | undefined; // the only message it sends
      if (failure && failure.message !== last) log.warn({ err: errorOf(failure) }, 'a log could not be moved');
      last = failure?.message;
    },
    onFailure: (error) => log.error({ err: error }, 'commits checkpoint the logs from now on'),
  });
  return close;
}
