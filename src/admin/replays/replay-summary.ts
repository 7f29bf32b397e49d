import type { ReplayEntry } from '../../../projections/replays.js';

/** A replay in the CLI's JSON and the admin API, with `percent` done and the estimated `secondsLeft`. */
export function replaySummary({ replayId, position: _, share, ...entry }: ReplayEntry) {
  return { id: replayId, ...entry, percent: Math.floor(share * 1_000) / 10, secondsLeft: secondsLeft(entry, share) };
}

export type ReplaySummary = ReturnType<typeof replaySummary>;

/** Estimated from the average speed so far; null where that is unknown or the replay has ended. */
function secondsLeft(
  { state, startedAt, progressedAt }: Pick<ReplayEntry, 'state' | 'startedAt' | 'progressedAt'>,
  share: number,
): number | null {
  const seconds = (Date.parse(progressedAt) - Date.parse(startedAt)) / 1_000;
  if (state !== 'running' || share <= 0 || seconds <= 0) return null;
  return Math.ceil((seconds * (1 - share)) / share);
}
