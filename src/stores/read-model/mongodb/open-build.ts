import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import type { BuildName } from '../build-name.js';
import { BuildGone } from '../errors.js';
import type { Projection } from '../projection.js';
import { plan } from '../query.js';
import type { Build, UnderTerm } from '../read-model.js';
import { withRemovals } from '../resolve-removals.js';
import { checkpointOf, openBuilds, requireFinished, requireSchema } from './builds.js';
import { collectionsOf } from './collections.js';
import { makeIndexes } from './indexes.js';
import { documentsWith, findDocuments, getDocument } from './lookup.js';
import { writeDocuments } from './write-documents.js';

/** Throws the errors of `ReadModel.open`. */
export async function openMongoBuild(
  database: MongoDatabase,
  projection: Projection,
  name: BuildName,
  options: UnderTerm & { readonly bulk?: boolean },
): Promise<Build> {
  const opened = await withMongoErrors(() => open(database, projection, name, options));
  const documents = collectionsOf(database.db).documents(name);
  const build: Build = {
    name,
    mostAtOnce,
    checkpoint: () => withMongoErrors(opened.checkpoint),
    apply: (batch, position) => withMongoErrors(() => opened.apply(batch, position)),
    finish: () => withMongoErrors(opened.finish),
    get: (key) => withMongoErrors(() => getDocument(documents, key)),
    page: (range) => withMongoErrors(() => findDocuments(documents, plan(projection, { where: {}, ...range }))),
    close: async () => {}, // it has only the connection, which belongs to the caller
  };
  return withRemovals(build, (field, values) => withMongoErrors(() => documentsWith(documents, field, values)));
}

export async function openGuarded(
  open: () => Promise<Build>,
  guard: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<Build> {
  const build = await guard(open);
  return {
    ...build,
    checkpoint: () => guard(build.checkpoint),
    apply: (batch, position) => guard(() => build.apply(batch, position)),
    get: (key) => guard(() => build.get(key)),
    page: (range) => guard(() => build.page(range)),
  };
}

/** As the embedded store commits at once. Several changes of one document are written once. */
const mostAtOnce = 20_000;

type Opened = Pick<Build, 'checkpoint' | 'apply' | 'finish'>;

async function open(
  { db, patient }: MongoDatabase,
  projection: Projection,
  name: BuildName,
  { bulk = false, term: wanted }: UnderTerm & { readonly bulk?: boolean },
): Promise<Opened> {
  const builds = openBuilds(collectionsOf(db));
  const indexed = () => makeIndexes(collectionsOf(patient).documents(name), projection);

  const isNew = await builds.enter(name, projection.name, wanted ?? 0n);
  const row = await builds.find(name);
  if (!row) throw new BuildGone(name);
  requireSchema(row);
  const term = wanted ?? row.term;
  if (wanted !== undefined) await builds.claim(name, wanted);
  if (isNew && !bulk) {
    await indexed();
    await builds.finish(name, term, -1n);
  } else if (!bulk) {
    requireFinished(row);
    await indexed();
  }

  // No caller waits for a single batch of a load.
  let documents = collectionsOf(bulk ? patient : db).documents(name);
  let unread = !row.finished && bulk;
  return {
    async checkpoint() {
      const now = await builds.find(name);
      if (!now) throw new BuildGone(name);
      return { position: checkpointOf(now) };
    },
    async apply(batch, position) {
      await writeDocuments(documents, batch, { unread });
      await builds.move(name, term, position);
    },
    async finish() {
      await indexed();
      await builds.finish(name, term, -1n);
      documents = collectionsOf(db).documents(name);
      unread = false;
    },
  };
}
