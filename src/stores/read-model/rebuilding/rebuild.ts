import { v7 as timeSortable } from 'uuid';
import { keyedMutex } from '../../../kernel/keyed-mutex.js';
import { StoreUnusable } from '../../../kernel/store-errors.js';
import type { EventStore } from '../../event-store/event-store.js';
import { type BuildName, buildName } from '../build-name.js';
import type { Projection } from '../projection.js';
import type { Build, ReadModel, UnderTerm } from '../read-model.js';
import { RebuildCancelled } from '../rebuild-errors.js';
import type { RebuildClaim, RebuildPhase, RebuildProgress } from '../rebuilds.js';
import { loadBuild } from './load-build.js';
import { rebuildTeller } from './rebuild-teller.js';
import { verifyBuild } from './verify-build.js';

export type Rebuilt = {
  readonly build: BuildName;
  /** Handled this time: what an earlier rebuild had done, where it was cut short, is not done again. */
  readonly events: number;
  readonly seconds: number;
  readonly resumed: boolean;
  /** How many documents were compared with those of the build before; undefined where none were. */
  readonly verified: number | undefined;
};

export type Rebuild = {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly projection: Projection;
  /** Called after each batch, and at each change of the phase. */
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** Ends it; the next rebuild goes on with what was built. The live build stays what it was. */
  readonly signal?: AbortSignal;
  /** Compares the documents with those of the live build, and points queries at the new one only where none differs. */
  readonly verify?: boolean;
} & UnderTerm;

/** A process loads one view after another: side by side none would be done sooner, and requests would wait for all of them. */
const loading = keyedMutex();

/**
 * Builds a view anew beside the live one, from the first event to the head, and points queries at it. Only views are
 * written: nothing is sent and nobody is told. Whoever follows the live build goes on with the new one, and drops the old.
 * What an earlier rebuild left unfinished is gone on with.
 *
 * Throws what the stores throw, `RebuildUnderWay`, `RebuildCancelled`, `ProjectionFailed` and `BuildsDiffer`. Wherever it
 * ends, the live build answers as before; only where it was cancelled is what it has built dropped.
 */
export async function rebuild({ readModel, projection, ...rest }: Rebuild): Promise<Rebuilt> {
  const claim = await readModel.rebuilds.claim(projection);
  try {
    const rebuilt = await underClaim({ readModel, projection, claim, ...rest });
    await claim.end();
    return rebuilt;
  } catch (error) {
    if (!(error instanceof RebuildCancelled)) await claim.release().catch(() => undefined); // or it is known to be dead soon
    throw error;
  }
}

type UnderClaim = Rebuild & { readonly claim: RebuildClaim };

async function underClaim({ claim, ...wanted }: UnderClaim): Promise<Rebuilt> {
  const { readModel, projection, term } = wanted;
  const started = performance.now();
  const underTerm = term === undefined ? {} : { term };
  const { build, resumed } = await openBuild(readModel, projection, claim, underTerm);
  let made: Made;
  try {
    made = await make(build, { claim, ...wanted });
  } catch (error) {
    await build.close();
    if (error instanceof RebuildCancelled && (await claim.end())) await readModel.drop(build.name);
    throw error;
  }
  await build.close();
  await readModel.flip(projection, build.name, underTerm);
  return { build: build.name, ...made, seconds: (performance.now() - started) / 1_000, resumed };
}

type Made = Pick<Rebuilt, 'events' | 'verified'>;

/** Brings a build from where it is to the head, with its indexes. */
async function make(
  build: Build,
  { claim, store, readModel, projection, onProgress, signal, verify = false }: UnderClaim,
): Promise<Made> {
  const { position = -1n } = await build.checkpoint();
  const { tell, told } = rebuildTeller(claim, { position, head: await store.head() }, onProgress);
  const load = async (phase: RebuildPhase, upTo?: bigint) => {
    const range = { ...{ store, projection, build, signal }, ...(upTo !== undefined && { upTo }) };
    for await (const loaded of loadBuild(range)) await tell(phase, loaded);
  };
  await tell('loading');
  await loading('a view', async () => {
    // To be compared it must not be ahead of the live build, which nobody feeds where no service runs.
    await load('loading', verify ? await readModel.position(projection) : undefined);
    await tell('indexing');
    await build.finish();
  });
  let verified: number | undefined;
  if (verify) {
    await tell('verifying');
    const check = () => tell('verifying', undefined, false);
    const loadTo = (position: bigint) => load('verifying', position);
    verified = await verifyBuild({ readModel, projection, build, signal, check, loadTo });
  }
  await load('catching up'); // what was appended meanwhile
  await tell('done'); // the last moment to cancel it
  return { events: told().events, verified };
}

/** The build that was left unfinished, where it is of use, or a new one. */
async function openBuild(
  readModel: ReadModel,
  projection: Projection,
  { left, begin }: RebuildClaim,
  underTerm: UnderTerm,
): Promise<{ readonly build: Build; readonly resumed: boolean }> {
  const options = { bulk: true, ...underTerm };
  const unfinished = left?.build;
  if (unfinished !== undefined && unfinished !== (await readModel.live(projection))) {
    const build = left?.cancelled ? undefined : await openWhereUsable(readModel, projection, unfinished, options);
    if (build) return { build, resumed: true };
    await readModel.drop(unfinished);
  }
  const name = buildName(projection, timeSortable());
  await begin(name); // first: a build that no rebuild knows would stay for ever
  return { build: await readModel.open(projection, name, options), resumed: false };
}

/** Undefined where it is not there, damaged, or of another schema. */
async function openWhereUsable(
  readModel: ReadModel,
  projection: Projection,
  name: BuildName,
  options: UnderTerm & { readonly bulk: boolean },
): Promise<Build | undefined> {
  try {
    return (await readModel.describe(name)) && (await readModel.open(projection, name, options));
  } catch (error) {
    if (error instanceof StoreUnusable) return undefined;
    throw error;
  }
}
