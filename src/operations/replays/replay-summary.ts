import type { ReplayEntry } from '../../../projections/replays.js';

/** A replay as operators see it, in the CLI's JSON and the admin API. `percent` of the way to its end, and how long that takes. */
export function replaySummary({ replayId, position: _, share, ...entry }: ReplayEntry) {
  return { id: replayId, ...entry, percent: Math.floor(share * 1_000) / 10, secondsLeft: secondsLeft(entry, share) };
}

export type ReplaySummary = ReturnType<typeof replaySummary>;

/** As fast as it went so far; null where that is not known, or it has ended. */
function secondsLeft(
  { state, startedAt, progressedAt }: Pick<ReplayEntry, 'state' | 'startedAt' | 'progressedAt'>,
  share: number,
): number | null {
  const seconds = (Date.parse(progressedAt) - Date.parse(startedAt)) / 1_000;
  if (state !== 'running' || share <= 0 || seconds <= 0) return null;
  return Math.ceil((seconds * (1 - share)) / share);
}
