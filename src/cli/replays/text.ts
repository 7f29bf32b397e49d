import type { ReplaySummary } from '../../admin/replays/find-replays.js';
import { type Output, printRows } from '../output.js';

/** Prints replays, one a row. */
export const printReplays = (output: Output, replays: readonly ReplaySummary[], whenEmpty: string): void =>
  printRows(
    output,
    replays,
    {
      replay: ({ id }) => id,
      listener: ({ listenerId }) => listenerId,
      state: ({ state }) => state,
      done: ({ percent }) => `${percent} %`,
      'looked at': ({ lookedAt }) => lookedAt,
      enqueued: ({ enqueued }) => enqueued,
      left: ({ secondsLeft }) => (secondsLeft === null ? '' : `${secondsLeft} s`),
      started: ({ startedAt }) => startedAt,
      by: ({ startedBy }) => startedBy,
    },
    whenEmpty,
  );
