import type { EventStore, LogReader } from '../../stores/event-store/event-store.js';
import { filterOf } from '../project.js';
import type { Projection } from '../projection.js';
import type { ReadModel } from '../read-model.js';
import type { RebuildRecord } from '../rebuilds.js';

export type ViewStatusSources = {
  store: Pick<EventStore, 'head' | 'readAll'>;
  readModel: Pick<ReadModel, 'live' | 'builds' | 'position' | 'viewError' | 'setAside' | 'rebuilds'>;
};

/** Reads the status from the stores, whichever process keeps the view up to date. Positions are JSON strings. */
export async function viewStatus({ store, readModel }: ViewStatusSources, projection: Projection) {
  const build = await readModel.live(projection);
  const position = await readModel.position(projection);
  const error = await readModel.viewError(projection);
  const setAside = await readModel.setAside(projection);
  const rebuild = await readModel.rebuilds.find(projection);
  return {
    name: projection.name,
    version: projection.version,
    build: build ?? null,
    otherBuilds: (await readModel.builds(projection)).filter((other) => other !== build),
    position: textOrNull(position),
    head: `${await store.head()}`,
    /** Null where there is no view. */
    lag: build === undefined ? null : await lagBehind(store, projection, position),
    setAside: setAside ?? null,
    error: error ? { ...error, position: textOrNull(error.position) } : null,
    rebuild: rebuild ? rebuildStatus(rebuild) : null,
  };
}

/** `holder` is null for an unfinished rebuild, which the next one continues. */
const rebuildStatus = ({ build, holder, cancelled, progress }: RebuildRecord) => ({
  build: build ?? null,
  holder: holder ?? null,
  cancelled,
  progress: progress ? { ...progress, position: `${progress.position}`, head: `${progress.head}` } : null,
});

const textOrNull = (position: bigint | undefined): string | null => position?.toString() ?? null;

export type Lag = {
  /** Unhandled events in its categories. */
  events: number;
  /** Events are counted up to a limit: there may be more. */
  orMore: boolean;
  /** Age of the first of them; 0 where there is none. */
  seconds: number;
};

/** Bounds the cost of reading them. */
const countedAtMost = 1_000;

async function lagBehind(store: LogReader, projection: Projection, from: bigint | undefined): Promise<Lag> {
  let events = 0;
  let first: Date | undefined;
  const range = { from, filter: filterOf(projection), limit: countedAtMost };
  for await (const { created } of store.readAll(range)) {
    first ??= created;
    events += 1;
  }
  // The store's clock may be ahead.
  const seconds = first ? Math.max(0, (Date.now() - first.getTime()) / 1_000) : 0;
  return { events, orMore: events === countedAtMost, seconds };
}
