import type { Collection, Db } from 'mongodb';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import type { MongoDatabase } from '../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { BuildGone, ViewNotBuilt } from '../errors.js';
import { type BuildName, isBuildOf, type Projection, viewOf } from '../projection.js';
import { plan } from '../query.js';
import type { ReadModel } from '../read-model.js';
import { type Collections, collectionsOf, type DocumentRow } from './collections.js';
import { countDocuments, findDocuments, getDocument } from './documents.js';
import { openMongoBuild } from './open-build.js';
import { openReaders } from './readers.js';
import { openRebuilds } from './rebuilds.js';
import { checkpointOf, openBuilds, openLiveBuilds, openViewErrors, requireFinished } from './records.js';
import { openSetAside } from './set-aside.js';

/**
 * A collection for the documents of each build, `builds` with their checkpoints, `views` with the live builds. Each
 * write is of one document, so a standalone server is sufficient. Closing leaves the database open.
 */
export function openMongoReadModel(database: MongoDatabase): ReadModel {
  const collections = collectionsOf(database.db);
  const builds = openBuilds(collections);
  const liveBuilds = openLiveBuilds(collections);
  const readers = openReaders(liveBuilds, builds);
  const { guarded, ...aside } = openSetAside(database.db, collections, liveBuilds, readers.release);
  let closed = false;

  async function call<Result>(work: () => Promise<Result>): Promise<Result> {
    if (closed) throw new StoreUnavailable('the read model is closed');
    return withMongoErrors(work);
  }

  const guardedAnswer = <Result>(projection: Projection, query: (build: BuildName) => Promise<Result>) =>
    choosing(projection, () => readers.read(projection, (build) => guarded(projection, build, () => query(build))));
  const choosing = <Result>(projection: Projection, work: () => Promise<Result>) =>
    call(() => guarded(projection, undefined, work));

  async function read<Result>(
    projection: Projection,
    query: (documents: Collection<DocumentRow>) => Promise<Result>,
  ): Promise<Result> {
    const answer = await guardedAnswer(projection, (build) => query(collections.documents(build)));
    if (!answer) throw new ViewNotBuilt(projection.name);
    return answer.result;
  }

  async function flip(projection: Projection, build: BuildName, term: bigint | undefined): Promise<void> {
    const row = await builds.find(build);
    if (!row) throw new BuildGone(build);
    requireFinished(row);
    await liveBuilds.set(viewOf(projection), build, term);
    readers.release();
    if (await builds.find(build)) return;
    await liveBuilds.forget(build); // it has been dropped in between
    throw new BuildGone(build);
  }

  return {
    live: (projection) => choosing(projection, () => readers.live(projection)),
    builds: (projection) => call(() => allBuilds(database.db, collections.builds, projection)),
    describe: (build) =>
      call(async () => {
        const row = await builds.find(build);
        return row && { finished: row.finished, position: checkpointOf(row) };
      }),
    open: (projection, name, options = {}) =>
      call(() =>
        openMongoBuild({ ...database, builds }, projection, name, options, (work) =>
          options.bulk ? work() : guarded(projection, name, work),
        ),
      ),
    flip: (projection, build, { term } = {}) => call(() => flip(projection, build, term)),
    drop: (build) =>
      call(async () => {
        const documents = collections.documents(build);
        // In this order, so that a concurrent `flip` to it fails.
        await collections.builds.deleteOne({ _id: build });
        await liveBuilds.forget(build);
        readers.release();
        await documents.drop();
      }),
    rebuilds: openRebuilds(collections),
    ...openViewErrors(collections),
    ...aside,
    get: (projection, key) => read(projection, (documents) => getDocument(documents, key)),
    async find(projection, query) {
      const checked = plan(projection, query);
      return read(projection, (documents) => findDocuments(documents, checked));
    },
    async count(projection, where, atMost) {
      const checked = { ...plan(projection, { where }), limit: atMost };
      return read(projection, (documents) => countDocuments(documents, checked));
    },
    async position(projection) {
      const row = (await guardedAnswer(projection, builds.find))?.result;
      return row && checkpointOf(row);
    },
    async close() {
      closed = true;
    },
  };
}

/** A build without documents has no collection yet; a half-dropped one has only that. */
async function allBuilds(db: Db, builds: Collections['builds'], { name }: Projection): Promise<readonly BuildName[]> {
  const [entered, kept] = await Promise.all([
    builds.find({ projection: name }, { projection: { _id: 1 } }).toArray(),
    db.listCollections({}, { nameOnly: true }).toArray(),
  ]);
  const names = [...entered.map(({ _id }) => _id), ...kept.map((collection) => collection.name)];
  return [...new Set(names.filter((each) => isBuildOf(name, each)))].sort();
}
