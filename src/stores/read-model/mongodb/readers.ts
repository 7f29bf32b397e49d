import { type BuildName, viewOf } from '../build-name.js';
import type { Projection } from '../projection.js';
import type { Builds } from './builds.js';
import { schemaVersion } from './collections.js';
import type { LiveBuilds } from './live-builds.js';

/** For so long a reader goes on with the build that it knows, unless it is told to look. */
const holdMs = 500;

/** Which build this process reads, for each view. Answers never go back in time. */
export type Readers = {
  /** The build that queries are pointed at now; undefined where there is none. From now on no less than that is read. */
  readonly live: (projection: Projection) => Promise<BuildName | undefined>;
  /**
   * What a query gives. Where that is nothing, it is asked once more whether queries still go there: what is dropped
   * meanwhile looks empty. So a reader may hold a build for a while. Undefined where there is no build.
   */
  readonly read: <Result>(
    projection: Projection,
    query: (build: BuildName) => Promise<Result>,
    isEmpty: (result: Result) => boolean,
  ) => Promise<{ readonly result: Result } | undefined>;
  /** Looks again at the next query. */
  readonly release: () => void;
};

/** What a process reads, what it should read as soon as that is as far, and until when it need not look again. */
type Held = { readonly build: BuildName; readonly live: BuildName; readonly until: number };

export function openReaders(liveBuilds: LiveBuilds, builds: Builds): Readers {
  const held = new Map<string, Held>();

  /** The live build, or the one that was read before while the live one is still behind that. */
  async function look(projection: Projection): Promise<Held | undefined> {
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

  /** One that has been dropped, or that a release with another schema made, counts for nothing, however far it was. */
  async function choose(live: BuildName, before: BuildName | undefined): Promise<BuildName | undefined> {
    const [next, current] = await Promise.all([builds.find(live), before && builds.find(before)]);
    if (next?.schema !== schemaVersion) return undefined;
    return current && next.position < current.position ? before : live;
  }

  async function current(projection: Projection): Promise<Held | undefined> {
    const known = held.get(viewOf(projection));
    return known && performance.now() < known.until ? known : look(projection);
  }

  return {
    live: async (projection) => (await look(projection))?.live,
    async read(projection, query, isEmpty) {
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
