import type { Collection } from 'mongodb';
import { StoreDamaged } from '../../kernel/store-errors.js';
import type { MongoDatabase } from '../../stores/mongodb/mongodb-database.js';
import { withMongoErrors } from '../../stores/mongodb/mongodb-errors.js';
import { BuildGone } from '../errors.js';
import type { BuildName, Projection } from '../projection.js';
import { plan } from '../query.js';
import type { Build, UnderTerm } from '../read-model.js';
import { withRemovals } from '../resolve-removals.js';
import { collectionsOf, type DocumentRow, pathOf } from './collections.js';
import { documentsWith, findDocuments, getDocument, writeDocuments } from './documents.js';
import { type Builds, checkpointOf, requireFinished, requireSchema } from './records.js';

/** Throws the errors of `ReadModel.open`. `guard` reacts to those of a damaged build. */
export async function openMongoBuild(
  database: MongoDatabase & { builds: Builds },
  projection: Projection,
  name: BuildName,
  options: UnderTerm & { bulk?: boolean },
  guard: <Result>(work: () => Promise<Result>) => Promise<Result>,
): Promise<Build> {
  const attempt = <Result>(work: () => Promise<Result>) => guard(() => withMongoErrors(work));
  const opened = await attempt(() => open(database, projection, name, options));
  const documents = collectionsOf(database.db).documents(name);
  const build: Build = {
    name,
    mostAtOnce,
    checkpoint: () => attempt(opened.checkpoint),
    apply: (batch, position) => attempt(() => opened.apply(batch, position)),
    finish: () => attempt(opened.finish),
    get: (key) => attempt(() => getDocument(documents, key)),
    page: (range) => attempt(() => findDocuments(documents, plan(projection, { where: {}, ...range }))),
    close: async () => {}, // it has only the connection, which belongs to the caller
  };
  return withRemovals(build, (field, values) => attempt(() => documentsWith(documents, field, values)));
}

/** Maximum number of operations, as the embedded store commits at once. Several changes of one document are written once. */
const mostAtOnce = 20_000;

type Opened = Pick<Build, 'checkpoint' | 'apply' | 'finish'>;

async function open(
  { db, patient, builds }: MongoDatabase & { builds: Builds },
  projection: Projection,
  name: BuildName,
  { bulk = false, term: ofLease }: UnderTerm & { bulk?: boolean },
): Promise<Opened> {
  const indexed = () => makeIndexes(collectionsOf(patient).documents(name), projection);

  const isNew = await builds.enter(name, projection.name, ofLease ?? 0n);
  const row = await builds.find(name);
  if (!row) throw new BuildGone(name);
  requireSchema(row);
  const term = ofLease ?? row.term;
  if (ofLease !== undefined) await builds.claim(name, ofLease);
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

const indexName = (fields: readonly string[]): string => `by_${fields.join('_')}`;

/** The key is the last field of each index: a lookup by equality returns documents in key order. */
const keyOf = (fields: readonly string[]): Record<string, 1> =>
  Object.fromEntries([...fields.map(pathOf), '_id'].map((path) => [path, 1]));

/** Throws `StoreDamaged` where an index of the same name is different. */
export async function makeIndexes(documents: Collection<DocumentRow>, { indexes }: Projection): Promise<void> {
  const declared = indexes.map((fields) => ({ name: indexName(fields), key: keyOf(fields) }));
  await documents.createIndexes(declared).catch((cause: { codeName?: string }) => {
    if (!/^Index(OptionsConflict|KeySpecsConflict)$/.test(cause.codeName ?? '')) throw cause;
    throw differs(documents.collectionName, documents.collectionName, { cause });
  });
  const found = new Map((await documents.indexes()).map(({ name, key }) => [name, JSON.stringify(key)]));
  const other = declared.find(({ name, key }) => found.get(name) !== JSON.stringify(key));
  if (other) throw differs(documents.collectionName, `${documents.collectionName}.${other.name}`);
}

const differs = (build: string, what: string, options?: ErrorOptions) =>
  new StoreDamaged(build, `an index of ${what} is not as the view needs it: rebuild the view`, options);
