import { v7 as timeSortable } from 'uuid';
import { mutex } from '../../kernel/keyed-mutex.js';
import { StoreUnusable } from '../../kernel/store-errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { BuildsDiffer, RebuildCancelled } from '../errors.js';
import { type BuildName, buildName, type Projection } from '../projection.js';
import type { Build, ReadModel, UnderTerm } from '../read-model.js';
import type { RebuildClaim, RebuildProgress } from '../rebuilds.js';
import { type CompareBuilds, compareBuilds } from './compare-builds.js';
import { loadBuild, reportRebuild } from './load-build.js';

export type Rebuilt = {
  build: BuildName;
  /** Number without the work of an earlier, interrupted rebuild. */
  events: number;
  seconds: number;
  resumed: boolean;
  /** Number of documents compared with the build before. */
  verified: number | undefined;
};

export type Rebuild = UnderTerm & {
  store: EventStore;
  readModel: ReadModel;
  projection: Projection;
  /** Points queries at the new build only if its documents equal those of the live one. */
  verify?: boolean;
  /** Called after each batch, and at each change of the phase. */
  onProgress?: (progress: RebuildProgress) => void;
  /** Ends it; the next rebuild continues the build. */
  signal?: AbortSignal;
};

/** One view at a time: concurrent loads would finish no sooner, and requests would wait for all of them. */
const oneLoad = mutex();

/**
 * Rebuilds a view beside the live one and points queries at it; continues an unfinished build. Throws the stores'
 * errors, `RebuildUnderWay`, `RebuildCancelled`, `ProjectionFailed` and `BuildsDiffer`: the live build then answers as
 * before; a cancellation and damage drop the new one.
 */
export async function rebuild({ readModel, projection, ...rest }: Rebuild): Promise<Rebuilt> {
  const claim = await readModel.rebuilds.claim(projection);
  try {
    const rebuilt = await underClaim({ readModel, projection, claim, ...rest });
    await claim.end();
    return rebuilt;
  } catch (error) {
    if (!(error instanceof RebuildCancelled)) await claim.release().catch(() => undefined); // or this holder soon counts as dead
    throw error;
  }
}

type UnderClaim = Rebuild & { claim: RebuildClaim };

async function underClaim({ claim, ...rebuild }: UnderClaim): Promise<Rebuilt> {
  const { readModel, projection, term } = rebuild;
  const started = performance.now();
  const underTerm = term === undefined ? {} : { term };
  const { build, resumed } = await openBuild(readModel, projection, claim, underTerm);
  let made: Made;
  try {
    made = await loadBesideLive(build, { claim, ...rebuild });
  } catch (error) {
    await build.close();
    if (error instanceof RebuildCancelled && (await claim.end())) await readModel.drop(build.name);
    if (error instanceof StoreUnusable) await readModel.drop(build.name); // the next rebuild does not continue a damaged build
    throw error;
  }
  await build.close();
  await readModel.flip(projection, build.name, underTerm);
  return { build: build.name, ...made, seconds: (performance.now() - started) / 1_000, resumed };
}

type Made = Pick<Rebuilt, 'events' | 'verified'>;

/**
 * Loads a build up to the head and creates its indexes; with `verify` compares it with the live build, if there is one; then loads the events
 * appended meanwhile. Throws `BuildsDiffer`, and `RebuildCancelled` at the next report of progress.
 */
async function loadBesideLive(
  build: Build,
  { claim, store, readModel, projection, onProgress, signal, verify = false }: UnderClaim,
): Promise<Made> {
  const { position = -1n } = await build.checkpoint();
  const { report, progress } = reportRebuild(claim, { position, head: await store.head() }, onProgress);
  const load = async (phase: RebuildProgress['phase'], upTo?: bigint) => {
    const range = { store, projection, build, signal, upTo };
    for await (const loaded of loadBuild(range)) await report(phase, loaded);
  };
  await report('loading');
  await oneLoad(async () => {
    // For a comparison it must not be ahead of the live build, which stands still where no service runs.
    await load('loading', verify ? await readModel.position(projection) : undefined);
    await report('indexing');
    await build.finish();
  });
  let verified: number | undefined;
  if (verify && (await readModel.live(projection)) !== undefined) {
    await report('verifying');
    const loadTo = (position: bigint) => load('verifying', position);
    verified = await requireEqual({ readModel, projection, build, signal, loadTo }, () =>
      report('verifying', undefined, false),
    );
  }
  await load('catching up'); // events appended meanwhile
  await report('done'); // the last moment to cancel it
  return { events: progress().events, verified };
}

/** Number of differences above which the whole build is probably wrong. */
const maxDifferences = 1_000;

/** Returns the number of documents. Throws `BuildsDiffer`. `check` throws where the rebuild was cancelled. */
async function requireEqual(builds: Omit<CompareBuilds, 'onCompared'>, check: () => Promise<void>): Promise<number> {
  let compared = 0;
  const onCompared = (documents: number) => {
    compared += documents;
    return check();
  };
  const keys: string[] = [];
  for await (const { key } of compareBuilds({ ...builds, onCompared })) if (keys.push(key) === maxDifferences) break;
  if (keys.length > 0) throw new BuildsDiffer(builds.projection.name, keys);
  return compared;
}

/** The unfinished build, where it is usable, or a new one. */
async function openBuild(
  readModel: ReadModel,
  projection: Projection,
  { left, begin }: RebuildClaim,
  underTerm: UnderTerm,
): Promise<{ build: Build; resumed: boolean }> {
  const options = { bulk: true, ...underTerm };
  const unfinished = left?.build;
  if (unfinished !== undefined && unfinished !== (await readModel.live(projection))) {
    const build = left?.cancelled ? undefined : await openWhereUsable(readModel, projection, unfinished, options);
    if (build) return { build, resumed: true };
    await readModel.drop(unfinished);
  }
  const name = buildName(projection, timeSortable());
  await begin(name); // first: a build without a rebuild record would stay for ever
  return { build: await readModel.open(projection, name, options), resumed: false };
}

/** Undefined where it is missing, damaged, or of another schema version. */
async function openWhereUsable(
  readModel: ReadModel,
  projection: Projection,
  name: BuildName,
  options: UnderTerm & { bulk: boolean },
): Promise<Build | undefined> {
  try {
    return (await readModel.describe(name)) && (await readModel.open(projection, name, options));
  } catch (error) {
    if (error instanceof StoreUnusable) return undefined;
    throw error;
  }
}
