import { buildName, type Operation, type Projection, put } from '../../../src/views/projection.js';
import type { Build, EventOperations, FoundDocument, ReadModel } from '../../../src/views/read-model.js';

/** Opens the read model that is kept at a place: each opening stands for its own process. */
export type OpenReadModel = (place: string) => Promise<ReadModel> | ReadModel;

/** Parts of a test: its own read model, and others like it on the same place. */
export type Bench = {
  readModel: () => ReadModel;
  /** The same place as another process sees it. Closed when the test ends. */
  another: () => Promise<ReadModel>;
};

export const things: Projection = {
  name: 'things',
  version: 1,
  indexes: [
    ['orgId', 'rank'],
    ['orgId', 'hookUrl', 'rank'],
  ],
  events: [],
  on: {},
};

/** The operations of one event. */
export const at = (position: bigint, ...operations: Operation[]): EventOperations => ({ position, operations });

export const thing = (key: string, rank = 'a', orgId = 'org-1') => put(key, { orgId, rank, name: key });

export const keysOf = (found: readonly FoundDocument[]): readonly string[] => found.map(({ key }) => key);

/** Opens a build of `things`, which queries then go to. */
export async function liveBuild(readModel: ReadModel, run = 'run-1'): Promise<Build> {
  const build = await readModel.open(things, buildName(things, run));
  await readModel.flip(things, build.name);
  return build;
}
