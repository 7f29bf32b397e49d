import { type BuildName, type Projection, viewOf } from '../projection.js';
import { schemaVersion } from './collections.js';
import type { Builds, LiveBuilds } from './records.js';

/** Maximum age of the known build, unless it is refreshed. */
const holdMs = 500;

/** The build that this process reads, for each view. Reads never go back in time. */
export type Readers = {
  /** Names the live build; from now on no read returns less than it has. */
  live: (projection: Projection) => Promise<BuildName | undefined>;
  /**
   * Checks the live build again where the result is empty: a dropped build looks empty. Undefined where there is no
   * build.
   */
  read: <Result>(
    projection: Projection,
    query: (build: BuildName) => Promise<Result>,
  ) => Promise<{ result: Result } | undefined>;
  /** Checks the live build again at the next query. */
  release: () => void;
};

/** `build` is read until `live` is as far; no check is needed `until` then. */
type HeldReader = { build: BuildName; live: BuildName; until: number };

const isEmpty = (result: unknown): boolean =>
  result === undefined || result === 0 || (Array.isArray(result) && result.length === 0);

export function openReaders(liveBuilds: LiveBuilds, builds: Builds): Readers {
  const held = new Map<string, HeldReader>();

  /** The live build, or the one read before while the live one is still behind it. */
  async function look(projection: Projection): Promise<HeldReader | undefined> {
    const view = viewOf(projection);
    const before = held.get(view)?.build;
    const live = await liveBuilds.of(view);
    const build = live === undefined || live === before ? live : await choose(live, before);
    if (live === undefined || build === undefined) {
      held.delete(view);
      return undefined;
    }
    const next = { build, live, until: build === live ? performance.now() + holdMs : 0 };
    held.set(view, next);
    return next;
  }

  /** Undefined for a build that was dropped or has another schema version. */
  async function choose(live: BuildName, before: BuildName | undefined): Promise<BuildName | undefined> {
    const [next, current] = await Promise.all([builds.find(live), before && builds.find(before)]);
    if (next?.schema !== schemaVersion) return undefined;
    return current && next.position < current.position ? before : live;
  }

  async function current(projection: Projection): Promise<HeldReader | undefined> {
    const known = held.get(viewOf(projection));
    return known && performance.now() < known.until ? known : look(projection);
  }

  return {
    live: async (projection) => (await look(projection))?.live,
    async read(projection, query) {
      let reader = await current(projection);
      while (reader) {
        const result = await query(reader.build);
        if (!isEmpty(result)) return { result };
        const now = await look(projection);
        if (now?.build === reader.build) return { result };
        reader = now;
      }
      return undefined;
    },
    release() {
      for (const [view, reader] of held) held.set(view, { ...reader, until: 0 });
    },
  };
}
