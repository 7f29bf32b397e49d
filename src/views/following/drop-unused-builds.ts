import type { BuildName } from '../projection.js';
import { type DropBuilds, dropBuilds } from '../rebuilding/drop-builds.js';
import { keepSetAsideMs } from '../set-aside-limits.js';

type DropUnusedBuilds = DropBuilds & {
  /** Retention of a build after queries have left it. */
  graceMs: number;
  /** Interval of checks for builds of earlier versions, and for builds that were set aside. */
  versionsMs: number;
  caughtUp: () => boolean;
};

/**
 * Drops earlier builds of a view, once the live one has caught up and the grace has passed. Use it for each live build;
 * the function that it returns is called repeatedly, while queries go to that build.
 */
export function dropUnusedBuilds({ graceMs, versionsMs, caughtUp, ...options }: DropUnusedBuilds) {
  const { readModel, projection } = options;
  const dropping = dropBuilds(options);
  return (live: BuildName) => {
    const since = performance.now();
    let droppedEarlier = false;
    let versionsAt = 0;
    return async (): Promise<void> => {
      const now = performance.now();
      if (!caughtUp() || now - since < graceMs) return;
      if (!droppedEarlier) await dropping.earlierBuilds(live);
      droppedEarlier = true;
      if (now < versionsAt) return;
      versionsAt = now + versionsMs;
      await dropping.earlierVersions();
      await readModel.clearSetAside(projection, keepSetAsideMs);
    };
  };
}
