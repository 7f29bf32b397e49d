import { existsSync } from 'node:fs';
import { portOf } from '../../kernel/threads/port-of.js';
import { startThread } from '../../kernel/threads/thread.js';
import { withStoreErrors } from '../../stores/sqlite/sqlite-errors.js';
import { writesOf } from '../project.js';
import type { BuildName, Projection } from '../projection.js';
import { plan } from '../query.js';
import type { Build, EventOperations } from '../read-model.js';
import { withRemovals } from '../resolve-removals.js';
import { describeBuildFile, openBuildFile } from './build-file.js';
import { documentWrites } from './documents.js';
import { type Loader, type LoaderOptions, openLoader } from './loader.js';

/** A smaller load is done before a thread would have started. */
const largeBytes = 4 * 1_048_576;

/** A large build gets its own thread. */
export async function openLoadingBuild(projection: Projection, name: BuildName, path: string): Promise<Build> {
  if (existsSync(path) && withStoreErrors(path, () => describeBuildFile(path))?.finished) {
    return openLiveBuild(projection, name, path);
  }
  const options: LoaderOptions = { path, view: { indexes: projection.indexes } }; // only values that can be sent to a thread
  let loader = openLoader(options);
  let position = await loader.checkpoint();
  let isOnThread = false;
  let bytes = 0;

  async function moveToThread(): Promise<void> {
    await loader.close();
    loader = await startLoader(options);
    isOnThread = true;
  }

  async function load(batch: readonly EventOperations[], upTo: bigint): Promise<void> {
    const applied = position ?? -1n;
    if (upTo <= applied) return;
    const writes = documentWrites(writesOf(batch.filter((event) => event.position > applied)));
    if (bytes >= largeBytes && !isOnThread) await moveToThread();
    bytes = await loader.load(writes, upTo, batch.length);
    position = upTo;
  }

  async function finish(): Promise<void> {
    await loader.finish();
    await loader.close();
    current = openLiveBuild(projection, name, path);
  }

  let current: Build = withRemovals(
    {
      name,
      checkpoint: async () => ({ position: await loader.checkpoint() }),
      apply: load,
      finish,
      get: (key) => loader.get(key),
      page: (range) => loader.find(plan(projection, { where: {}, ...range })),
      close: () => loader.close(),
    },
    (field, values) => loader.findWith(field, values),
  );

  return {
    name,
    checkpoint: () => current.checkpoint(),
    apply: (batch, upTo) => current.apply(batch, upTo),
    finish: () => current.finish(),
    get: (key) => current.get(key),
    page: (range) => current.page(range),
    close: () => current.close(),
  };
}

/** The next call reports a failure of the thread. */
async function startLoader(options: LoaderOptions): Promise<Loader> {
  const what = 'the thread that loads a view';
  const { call, close } = await startThread<Loader>(new URL('./loading-thread.js', import.meta.url), options, {
    what,
    onMessage: () => undefined,
    onFailure: () => undefined,
  });
  return portOf<Loader>(call, { close });
}

/** Reacts to the errors of a damaged build. */
export type Guard = <Result>(work: () => Result) => Result;

/** A build that may be read while it is written. */
export function openLiveBuild(
  projection: Projection,
  name: BuildName,
  path: string,
  guard: Guard = (work) => work(),
): Build {
  const guarded: Guard = (work) => guard(() => withStoreErrors(path, work));
  const file = guarded(() => openBuildFile(path, projection, 'write'));
  const attempt = async <Result>(work: () => Result): Promise<Result> => guarded(work);
  const build: Build = {
    name,
    checkpoint: () => attempt(() => ({ position: file.checkpoint() })),
    apply: (batch, position) => attempt(() => file.apply(batch, position)),
    finish: async () => {}, // it has its indexes
    get: (key) => attempt(() => file.get(key)),
    page: (range) => attempt(() => file.find(plan(projection, { where: {}, ...range }))),
    close: async () => file.close(),
  };
  return withRemovals(build, (field, values) => attempt(() => file.findWith(field, values)));
}
