import type { RebuildClaim, RebuildPhase, RebuildProgress } from '../rebuilds.js';
import type { Loaded } from './load-build.js';

/** Between records of the progress, and checks for a cancellation. */
const noteMs = 1_000;

/** Reports each step to the caller, and at intervals to other processes. Throws the errors of `note`. */
export function rebuildReporter(
  { note }: RebuildClaim,
  from: Pick<RebuildProgress, 'position' | 'head'>,
  onProgress: (progress: RebuildProgress) => void = () => undefined,
) {
  const started = performance.now();
  let progress: RebuildProgress = { phase: 'loading', events: 0, perSecond: 0, ...from };
  let notedAt = Number.NEGATIVE_INFINITY;

  async function report(phase: RebuildPhase, loaded?: Loaded, atOnce = !loaded): Promise<void> {
    const now = performance.now();
    const events = progress.events + (loaded?.events ?? 0);
    const { position, head } = loaded ?? progress;
    progress = { phase, events, perSecond: Math.round((events * 1_000) / (now - started)), position, head };
    onProgress(progress);
    if (!atOnce && now - notedAt < noteMs) return;
    notedAt = now;
    await note(progress);
  }

  return { report, progress: () => progress };
}
