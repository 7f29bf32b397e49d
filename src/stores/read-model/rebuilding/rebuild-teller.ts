import type { RebuildClaim, RebuildPhase, RebuildProgress } from '../rebuilds.js';
import type { Loaded } from './load-build.js';

/** How often others are told how far it is, and whether it has been cancelled is looked up. */
const noteMs = 1_000;

/** Tells whoever started the rebuild of each step, and others now and then. Throws what `note` throws. */
export function rebuildTeller(
  { note }: RebuildClaim,
  from: Pick<RebuildProgress, 'position' | 'head'>,
  onProgress: (progress: RebuildProgress) => void = () => undefined,
) {
  const started = performance.now();
  let progress: RebuildProgress = { phase: 'loading', events: 0, perSecond: 0, ...from };
  let notedAt = Number.NEGATIVE_INFINITY;

  async function tell(phase: RebuildPhase, loaded?: Loaded, atOnce = !loaded): Promise<void> {
    const now = performance.now();
    const events = progress.events + (loaded?.events ?? 0);
    const { position, head } = loaded ?? progress;
    progress = { phase, events, perSecond: Math.round((events * 1_000) / (now - started)), position, head };
    onProgress(progress);
    if (!atOnce && now - notedAt < noteMs) return;
    notedAt = now;
    await note(progress);
  }

  return { tell, told: () => progress };
}
