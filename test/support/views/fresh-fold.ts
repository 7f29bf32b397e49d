import { codecFor } from '../../../src/stores/event-store/codec.js';
import { categoryOf, type EventStore, type JsonObject } from '../../../src/stores/event-store/event-store.js';
import type { Projection } from '../../../src/views/projection.js';
import type { ReadModel } from '../../../src/views/read-model.js';
import { viewDocuments } from '../../../src/views/view-documents.js';
import { collect } from '../../contract/event-store/support.js';

/** The documents of a view, by their keys. */
type ViewDocuments = Readonly<Record<string, JsonObject>>;

/** View by definition: each event of history on its own, in order, one operation after the other, in memory. */
export async function freshFold(store: EventStore, projection: Projection): Promise<ViewDocuments> {
  const codec = codecFor(projection.events);
  const documents = new Map<string, JsonObject>();
  for await (const recorded of store.readAll({ filter: { categories: Object.keys(projection.on) } })) {
    const handler = projection.on[categoryOf(recorded.stream)]?.[recorded.type];
    const event = handler && codec.decode(recorded);
    for (const operation of event ? [handler(event)].flat() : []) {
      if (operation.kind === 'remove-where') {
        const { field, values } = operation;
        for (const [key, document] of documents) if (values.includes(String(document[field]))) documents.delete(key);
        continue;
      }
      const before = documents.get(operation.key);
      if (operation.kind === 'put') documents.set(operation.key, operation.document);
      else if (operation.kind === 'remove') documents.delete(operation.key);
      else if (before) documents.set(operation.key, { ...before, ...operation.fields });
    }
  }
  return Object.fromEntries([...documents].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Documents that queries of this view see now. Throws where it has not been built. */
export async function servedDocuments(readModel: ReadModel, projection: Projection): Promise<ViewDocuments> {
  const documents = await collect(viewDocuments(readModel, projection));
  return Object.fromEntries(documents.map(({ key, document }) => [key, document]));
}
