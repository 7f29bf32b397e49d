import { StoreDamaged, StoreUnusable } from '../../../kernel/store-errors.js';
import { LeaseLost } from '../../leases/lease-lost.js';
import { insertNew } from '../../mongodb/insert-new.js';
import type { BuildName } from '../build-name.js';
import { BuildGone } from '../errors.js';
import { type BuildRow, type Collections, schemaVersion } from './collections.js';

export type Builds = {
  readonly find: (build: BuildName) => Promise<BuildRow | undefined>;
  /** False where it exists. */
  readonly enter: (build: BuildName, projection: string, term: bigint) => Promise<boolean>;
  /** Claims a build for a term. Throws `LeaseLost` where a later term has. */
  readonly claim: (build: BuildName, term: bigint) => Promise<void>;
  /** Moves the checkpoint forward, never back. Throws `LeaseLost` and `BuildGone`. */
  readonly move: (build: BuildName, term: bigint, position: bigint) => Promise<void>;
  /** As `move`; the build may be read from then on. */
  readonly finish: (build: BuildName, term: bigint, position: bigint) => Promise<void>;
};

export function openBuilds({ builds }: Collections): Builds {
  async function find(build: BuildName): Promise<BuildRow | undefined> {
    const row = await builds.findOne({ _id: build });
    if (row && typeof row.position !== 'bigint') {
      throw new StoreDamaged(build, `${build} is damaged: its checkpoint is not a position`);
    }
    return row ?? undefined;
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

  return {
    find,
    async enter(_id, projection, term) {
      const row = { _id, projection, schema: schemaVersion, position: -1n, term, finished: false };
      return (await insertNew(builds, [row])).length === 0;
    },
    async claim(build, term) {
      const { matchedCount } = await builds.updateOne({ _id: build, term: { $lte: term } }, { $set: { term } });
      if (matchedCount === 0) await refuse(build, term);
    },
    move: (build, term, position) => advance(build, term, position),
    finish: (build, term, position) => advance(build, term, position, true),
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
