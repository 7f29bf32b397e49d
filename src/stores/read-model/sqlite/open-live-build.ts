import { withStoreErrors } from '../../sqlite/sqlite-errors.js';
import type { BuildName } from '../build-name.js';
import type { Projection } from '../projection.js';
import { plan } from '../query.js';
import type { Build } from '../read-model.js';
import { withRemovals } from '../resolve-removals.js';
import { openBuildFile } from './build-file.js';

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
