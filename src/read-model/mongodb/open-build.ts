import type { Projection } from '../../../projections/projection.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { BuildGone } from '../errors.js';
import type { Build, BuildName, UnderTerm } from '../read-model.js';
import { judge, openBuilds } from './builds.js';
import { collectionsOf } from './collections.js';
import { makeIndexes } from './indexes.js';
import { writeDocuments } from './write-documents.js';

/** What `Build` promises, but for the errors, which are the driver's. */
type Opened = Omit<Build, 'close'>;

/** Opens a build, making it where it does not exist. Errors: those of `ReadModel.open`. */
export async function openMongoBuild(
  database: MongoDatabase,
  projection: Projection,
  name: BuildName,
  { bulk = false, term }: UnderTerm & { readonly bulk?: boolean },
): Promise<Build> {
  const { apply, checkpoint, finish } = await withMongoErrors(() => open(database, projection, name, bulk, term));
  return {
    name,
    checkpoint: () => withMongoErrors(checkpoint),
    apply: (batch, position) => withMongoErrors(() => apply(batch, position)),
    finish: () => withMongoErrors(finish),
    close: async () => {}, // there is nothing but the connection, which is not ours
  };
}

async function open(
  database: MongoDatabase,
  projection: Projection,
  name: BuildName,
  bulk: boolean,
  term: bigint | undefined,
): Promise<Opened> {
  const { patient } = database;
  const indexed = () => makeIndexes(collectionsOf(patient).documents(name), projection);
  const builds = openBuilds(collectionsOf(database.db));

  const known = await builds.find(name);
  if (!known && (await builds.enter(name, projection.name, term ?? 0n))) {
    if (bulk) return loading(database, name, term ?? 0n, indexed);
    await indexed();
    await builds.finish(name, term ?? 0n, -1n);
    return kept(database, name, term ?? 0n, indexed);
  }
  const there = known ?? (await builds.find(name));
  if (!there) throw new BuildGone(name);
  judge(there);
  if (term !== undefined) await builds.claim(name, term);
  await indexed();
  return kept(database, name, term ?? there.term, indexed);
}

/** One that is read: each batch is written, and then its checkpoint. */
function kept({ db }: MongoDatabase, name: BuildName, term: bigint, finish: () => Promise<void>): Opened {
  const collections = collectionsOf(db);
  const documents = collections.documents(name);
  const builds = openBuilds(collections);
  return {
    name,
    async checkpoint() {
      const row = await builds.find(name);
      if (!row) throw new BuildGone(name);
      return { position: row.position < 0n ? undefined : row.position };
    },
    async apply(batch, position) {
      await writeDocuments(documents, batch);
      await builds.move(name, term, position);
    },
    finish,
  };
}

/**
 * One that is loaded: nobody reads it, and one that was left half-way is not taken up again. So its checkpoint is written
 * when it is finished, and nobody waits for a single batch.
 */
function loading(database: MongoDatabase, name: BuildName, term: bigint, indexed: () => Promise<void>): Opened {
  const documents = collectionsOf(database.patient).documents(name);
  const builds = openBuilds(collectionsOf(database.db));
  let finished: Opened | undefined;
  let position = -1n;
  return {
    name,
    async checkpoint() {
      if (finished) return finished.checkpoint();
      return { position: position < 0n ? undefined : position };
    },
    async apply(batch, upTo) {
      if (finished) return finished.apply(batch, upTo);
      await writeDocuments(documents, batch);
      if (upTo > position) position = upTo;
    },
    async finish() {
      await indexed();
      await builds.finish(name, term, position);
      finished = kept(database, name, term, indexed);
    },
  };
}
