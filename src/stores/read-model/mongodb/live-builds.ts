import { setImmediate as nextTurn } from 'node:timers/promises';
import { LeaseLost } from '../../leases/lease-lost.js';
import { insertNew } from '../../mongodb/insert-new.js';
import type { BuildName } from '../build-name.js';
import type { Collections } from './collections.js';

export type LiveBuilds = {
  readonly of: (view: string) => Promise<BuildName | undefined>;
  /** Throws `LeaseLost` where a later term has set it. Without a term, the last one stays. */
  readonly set: (view: string, build: BuildName, term: bigint | undefined) => Promise<void>;
  readonly forget: (build: BuildName) => Promise<void>;
};

export function openLiveBuilds({ views }: Collections): LiveBuilds {
  async function update(view: string, build: BuildName, term: bigint | undefined): Promise<boolean> {
    const { matchedCount } = await (term === undefined
      ? views.updateOne({ _id: view }, { $set: { build } })
      : views.updateOne({ _id: view, term: { $lte: term } }, { $set: { build, term } }));
    return matchedCount === 1;
  }

  /** Shared by lookups of one turn of the event loop: all followers look at the same time. */
  let reading: Promise<ReadonlyMap<string, BuildName | undefined>> | undefined;

  async function readAll(): Promise<ReadonlyMap<string, BuildName | undefined>> {
    await nextTurn();
    reading = undefined; // later lookups need a later read
    const rows = await views.find().toArray(); // one for each version of each view
    return new Map(rows.map(({ _id, build }) => [_id, build]));
  }

  return {
    async of(view) {
      reading ??= readAll();
      return (await reading).get(view);
    },
    async set(view, build, term) {
      if (await update(view, build, term)) return;
      if ((await insertNew(views, [{ _id: view, build, term: term ?? 0n }])).length === 0) return;
      if (!(await update(view, build, term))) throw new LeaseLost(view, term ?? 0n);
    },
    async forget(build) {
      await views.updateMany({ build }, { $unset: { build: '' } }); // its term stays
    },
  };
}
