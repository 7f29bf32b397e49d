import type { Collection, WithId } from 'mongodb';
import { sharedInTurn } from '../../kernel/shared-interval.js';
import { StoreDamaged, StoreUnusable } from '../../kernel/store-errors.js';
import { LeaseLost } from '../../stores/leases/leases.js';
import { insertNew, updateEach } from '../../stores/mongodb/bulk-writes.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { BuildGone } from '../errors.js';
import { type BuildName, viewOf } from '../projection.js';
import type { ViewErrorRecords } from '../read-model.js';
import { type BuildRow, type Collections, schemaVersion, type ViewRow } from './collections.js';

/** Reads all rows, a few for each view, in one command for the lookups of a turn: all followers look at the same time. */
function lookUpTogether<Row extends { _id: string }>(rows: Collection<Row>) {
  const readAll = sharedInTurn(async () => {
    const found: readonly WithId<Row>[] = await rows.find().toArray();
    return new Map(found.map((row) => [String(row._id), row])); // the driver's type of it is wider
  });
  return async (id: string): Promise<WithId<Row> | undefined> => (await readAll()).get(id);
}

export type Builds = ReturnType<typeof openBuilds>;

export function openBuilds({ builds }: Collections) {
  const lookUp = lookUpTogether(builds);

  async function find(build: BuildName): Promise<BuildRow | undefined> {
    const row = await lookUp(build);
    if (row && typeof row.position !== 'bigint') {
      throw new StoreDamaged(build, `${build} is damaged: its checkpoint is not a position`);
    }
    return row;
  }

  /** Throws the reason why a write under this term matched no record. */
  async function refuse(build: BuildName, term: bigint): Promise<never> {
    throw (await find(build)) ? new LeaseLost(build, term) : new BuildGone(build);
  }

  async function advance(build: BuildName, term: bigint, position: bigint, finished?: true): Promise<void> {
    const { matchedCount } = await builds.updateOne(
      { _id: build, term },
      { $max: { position }, ...(finished && { $set: { finished } }) },
    );
    if (matchedCount === 0) await refuse(build, term);
  }

  let moves: { build: BuildName; term: bigint; position: bigint }[] = [];
  /** Returns whether all of a turn were moved, in one command: followers write their checkpoints at the same time. */
  const moveAll = sharedInTurn(async () => {
    const updates = moves.map(({ build, term, position }) => ({
      filter: { _id: build, term },
      update: { $max: { position } },
    }));
    moves = [];
    return (await updateEach(builds, updates)).matchedCount === updates.length;
  });

  return {
    find,
    /** False where it exists. */
    async enter(_id: BuildName, projection: string, term: bigint): Promise<boolean> {
      const row = { _id, projection, schema: schemaVersion, position: -1n, term, finished: false };
      return (await insertNew(builds, [row])).length === 0;
    },
    /** Claims a build for a term. Throws `LeaseLost` where a later term has. */
    async claim(build: BuildName, term: bigint): Promise<void> {
      const { matchedCount } = await builds.updateOne({ _id: build, term: { $lte: term } }, { $set: { term } });
      if (matchedCount === 0) await refuse(build, term);
    },
    /** Moves the checkpoint forward, never back. Throws `LeaseLost` and `BuildGone`. */
    async move(build: BuildName, term: bigint, position: bigint): Promise<void> {
      moves.push({ build, term, position });
      if (!(await moveAll())) await advance(build, term, position);
    },
    /** Works as `move`; the build may be read from then on. */
    finish: (build: BuildName, term: bigint, position: bigint) => advance(build, term, position, true),
  };
}

export const checkpointOf = ({ position }: BuildRow): bigint | undefined => (position < 0n ? undefined : position);

/** Throws `StoreUnusable` for another schema version. */
export function requireSchema({ _id, schema }: BuildRow): void {
  if (schema !== schemaVersion) {
    throw new StoreUnusable(`${_id} is of schema ${schema}, this release reads ${schemaVersion}: rebuild the view`);
  }
}

/** Throws `StoreUnusable` for another schema version, `StoreDamaged` where it is unfinished. */
export function requireFinished(row: BuildRow): void {
  requireSchema(row);
  const { _id, finished } = row;
  if (!finished) throw new StoreDamaged(_id, `${_id} was left before it was finished: rebuild the view`);
}

export type LiveBuilds = ReturnType<typeof openLiveBuilds>;

/** False where a later term has set the row. Without a term, the last one stays. */
async function setUnderTerm(
  rows: Collection<ViewRow>,
  _id: string,
  fields: Omit<ViewRow, '_id' | 'term'>,
  term: bigint | undefined,
): Promise<boolean> {
  const changed = { ...fields, term };
  const filter = { _id, ...(term !== undefined && { term: { $not: { $gt: term } } }) };
  const update = async () => (await rows.updateOne(filter, { $set: changed })).matchedCount === 1;
  return (await update()) || (await insertNew(rows, [{ _id, ...changed }])).length === 0 || (await update());
}

export function openLiveBuilds({ views }: Collections) {
  const lookUp = lookUpTogether(views);
  return {
    of: async (view: string): Promise<BuildName | undefined> => (await lookUp(view))?.build,
    /** Throws `LeaseLost` where a later term has set it. */
    async set(view: string, build: BuildName, term: bigint | undefined): Promise<void> {
      if (!(await setUnderTerm(views, view, { build }, term))) throw new LeaseLost(view, term ?? 0n);
    },
    async forget(build: BuildName): Promise<void> {
      await views.updateMany({ build }, { $unset: { build: '' } }); // its term stays
    },
  };
}

/**
 * A row stays, without its error, to keep its term: the late record of an earlier lease holder would otherwise remain
 * after a later holder has recovered.
 */
export function openViewErrors({ troubles }: Pick<Collections, 'troubles'>): ViewErrorRecords {
  const lookUp = lookUpTogether(troubles);
  return {
    viewError: (projection) =>
      withMongoErrors(async () => {
        const error = (await lookUp(viewOf(projection)))?.trouble;
        return error ? { ...error, position: error.position } : undefined;
      }),
    recordError: (projection, error, { term } = {}) =>
      withMongoErrors(async () => {
        await setUnderTerm(troubles, viewOf(projection), { trouble: error ?? null }, term);
      }),
  };
}
