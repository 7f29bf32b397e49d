import type { Db } from 'mongodb';
import { StoreUnavailable } from '../../../kernel/store-errors.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { BuildGone, ViewNotBuilt } from '../errors.js';
import { type BuildName, isBuildOf, type Projection, viewOf } from '../projection.js';
import { plan } from '../query.js';
import type { ReadModel } from '../read-model.js';
import { type Collections, collectionsOf } from './collections.js';
import { countDocuments, findDocuments, getDocument } from './documents.js';
import { openGuarded, openMongoBuild } from './open-build.js';
import { openReaders } from './readers.js';
import { openRebuilds } from './rebuilds.js';
import { checkpointOf, openBuilds, openLiveBuilds, openTroubles, requireFinished } from './records.js';
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

  async function read<Result>(
    projection: Projection,
    query: (build: BuildName) => Promise<Result>,
    isEmpty: (result: Result) => boolean,
  ): Promise<Result> {
    const answer = await choosing(projection, () => readers.read(projection, guardedOn(projection, query), isEmpty));
    if (!answer) throw new ViewNotBuilt(projection.name);
    return answer.result;
  }

  const guardedOn =
    <Result>(projection: Projection, query: (build: BuildName) => Promise<Result>) =>
    (build: BuildName) =>
      guarded(projection, build, () => query(build));
  const choosing = <Result>(projection: Projection, work: () => Promise<Result>) =>
    call(() => guarded(projection, undefined, work));

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
      openGuarded(
        () => call(() => openMongoBuild(database, projection, name, options)),
        options.bulk ? (work) => work() : (work) => guarded(projection, name, work),
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
    ...openTroubles(collections),
    ...aside,
    ...queriesOf(collections, read),
    position: (projection) =>
      choosing(projection, async () => {
        const answer = await readers.read(projection, guardedOn(projection, builds.find), (row) => row === undefined);
        return answer?.result && checkpointOf(answer.result);
      }),
    async close() {
      closed = true;
    },
  };
}

type Read = <Result>(
  projection: Projection,
  query: (build: BuildName) => Promise<Result>,
  isEmpty: (result: Result) => boolean,
) => Promise<Result>;

/** A query that finds nothing may have read a build that was dropped. */
const queriesOf = (collections: Collections, read: Read): Pick<ReadModel, 'get' | 'find' | 'count'> => ({
  get: (projection, key) =>
    read(
      projection,
      (build) => getDocument(collections.documents(build), key),
      (found) => found === undefined,
    ),
  async find(projection, query) {
    const checked = plan(projection, query);
    return read(
      projection,
      (build) => findDocuments(collections.documents(build), checked),
      (found) => found.length === 0,
    );
  },
  async count(projection, where, atMost) {
    const checked = { ...plan(projection, { where }), limit: atMost };
    return read(
      projection,
      (build) => countDocuments(collections.documents(build), checked),
      (count) => count === 0,
    );
  },
});

/** A build without documents has no collection yet; a half-dropped one has only that. */
async function allBuilds(db: Db, builds: Collections['builds'], { name }: Projection): Promise<readonly BuildName[]> {
  const [entered, kept] = await Promise.all([
    builds.find({ projection: name }, { projection: { _id: 1 } }).toArray(),
    db.listCollections({}, { nameOnly: true }).toArray(),
  ]);
  const names = [...entered.map(({ _id }) => _id), ...kept.map((collection) => collection.name)];
  return [...new Set(names.filter((each) => isBuildOf(name, each)))].sort();
}
