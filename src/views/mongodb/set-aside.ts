import { BSON, type Db, MongoServerError } from 'mongodb';
import { StoreDamaged } from '../../kernel/store-errors.js';
import { insertNew } from '../../stores/mongodb/bulk-writes.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { ViewSetAside } from '../errors.js';
import { type BuildName, type Projection, viewOf } from '../projection.js';
import type { SetAsideBuild, SetAsideBuilds } from '../read-model.js';
import { maySetAside } from '../set-aside-limits.js';
import type { Collections } from './collections.js';
import type { LiveBuilds } from './records.js';

export type SetAside = SetAsideBuilds & {
  /**
   * Sets the build aside if it is live and the work finds it damaged. Without a build: work that chooses one by the
   * records.
   */
  guarded: <Result>(
    projection: Projection,
    build: BuildName | undefined,
    work: () => Promise<Result>,
  ) => Promise<Result>;
};

/** NamespaceNotFound: another instance has renamed or dropped the collection, or the build had no documents. */
const namespaceNotFound = 26;
/** PathNotViable: something else than an object is where a document should be. */
const pathNotViable = 28;

/**
 * Renames a damaged build's collection to `damaged-<build>`; the view's earlier one is removed. Every step is repeatable, as several instances may meet
 * the same damage. A build whose collection was not renamed, because the process died, is dropped like any earlier one.
 */
export function openSetAside(
  db: Db,
  { builds, setAside }: Collections,
  liveBuilds: LiveBuilds,
  onPut: () => void,
): SetAside {
  async function put(projection: Projection, build: BuildName): Promise<boolean> {
    const view = viewOf(projection);
    const as = `damaged-${build}`;
    const others = (await setAside.find({ view }).toArray()).filter(({ _id }) => _id !== as);
    if (!others.every(({ since }) => maySetAside(since.getTime(), Date.now()))) return false;
    await insertNew(setAside, [{ _id: as, view, since: new Date() }]);
    await builds.deleteOne({ _id: build }); // in this order, as when a build is dropped
    await liveBuilds.forget(build);
    await db.renameCollection(build, as).catch((error: unknown) => {
      if (!(error instanceof MongoServerError) || error.code !== namespaceNotFound) throw error;
    });
    for (const { _id } of others) {
      await db.collection(_id).drop();
      await setAside.deleteOne({ _id });
    }
    return true;
  }

  const isKept = async (build: BuildName): Promise<boolean> => (await builds.findOne({ _id: build })) !== null;

  async function latest(view: string): Promise<SetAsideBuild | undefined> {
    if ((await liveBuilds.of(view)) !== undefined) return undefined;
    const [row] = await setAside.find({ view }).sort({ since: -1 }).limit(1).toArray();
    return row && { as: row._id, since: row.since.toISOString() };
  }

  async function clear(view: string, olderThanMs: number): Promise<void> {
    for (const { _id, since } of await setAside.find({ view }).toArray()) {
      if (Date.now() - since.getTime() >= olderThanMs) await db.collection(_id).drop(); // its record still counts
    }
  }

  return {
    async guarded(projection, build, work) {
      try {
        return await work();
      } catch (error) {
        const damage = damageOf(error, build);
        if (!damage) throw error;
        const live = await liveBuilds.of(viewOf(projection));
        const isAside = live === damage.place ? await put(projection, live) : !(await isKept(damage.place));
        if (!isAside) throw damage;
        onPut();
        throw new ViewSetAside(projection.name, damage);
      }
    },
    setAside: (projection) => withMongoErrors(() => latest(viewOf(projection))),
    clearSetAside: (projection, olderThanMs) => withMongoErrors(() => clear(viewOf(projection), olderThanMs)),
  };
}

/** Undefined for an error that is no damage of the build. */
function damageOf(error: unknown, build: BuildName | undefined): StoreDamaged | undefined {
  if (error instanceof StoreDamaged) return error;
  if (build === undefined) return undefined;
  const cause = error instanceof Error && error.cause instanceof MongoServerError ? error.cause : error;
  const isDamage =
    cause instanceof BSON.BSONError ||
    (cause instanceof MongoServerError &&
      (cause.code === pathNotViable || cause.codeName === 'DataCorruptionDetected'));
  return isDamage ? new StoreDamaged(build, `${build} is damaged: ${cause.message}`, { cause }) : undefined;
}
