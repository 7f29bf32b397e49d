import type { EventStore, JsonObject } from '../../../src/stores/event-store/event-store.js';
import type { MongoDatabase } from '../../../src/stores/mongodb/mongodb-database.js';
import { collectionsOf } from '../../../src/views/mongodb/collections.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import type { Projection } from '../../../src/views/projection.js';
import { rebuild } from '../../../src/views/rebuilding/rebuild.js';

/** The documents of a view, by their keys, in an order of their own. */
export type ViewDocuments = Readonly<Record<string, JsonObject>>;

/** Documents that queries of this view see now. Throws where it has not been built. */
export async function liveDocuments(database: MongoDatabase, projection: Projection): Promise<ViewDocuments> {
  const build = await openMongoReadModel(database).live(projection);
  if (build === undefined) throw new Error(`${projection.name} has no build`);
  const rows = await collectionsOf(database.db).documents(build).find().sort({ _id: 1 }).toArray();
  return Object.fromEntries(rows.flatMap(({ _id, document }) => (document ? [[_id, document]] : [])));
}

/** Documents of the view built from the whole history now, in another database. */
export async function rebuiltDocuments(
  store: EventStore,
  beside: MongoDatabase,
  projection: Projection,
): Promise<ViewDocuments> {
  await rebuild({ store, readModel: openMongoReadModel(beside), projection });
  return liveDocuments(beside, projection);
}
