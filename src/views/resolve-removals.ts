import type { Json } from '../stores/event-store/event-store.js';
import type { Operation } from './projection.js';
import type { Build, EventOperations, FoundDocument } from './read-model.js';

/** Finds documents with or without the field's index. */
export type DocumentsWith = (field: string, values: readonly string[]) => Promise<readonly FoundDocument[]>;

/**
 * Resolves each `remove-where` to keys before a batch is applied, so that adapters remove by key only. Batches run one
 * after the other.
 */
export const withRemovals = (build: Build, documentsWith: DocumentsWith): Build => ({
  ...build,
  async apply(batch, position) {
    await build.apply(isConcerned(batch) ? await resolved(batch, documentsWith) : batch, position);
  },
});

const isConcerned = (batch: readonly EventOperations[]): boolean =>
  batch.some(({ operations }) => operations.some(({ kind }) => kind === 'remove-where'));

async function resolved(
  batch: readonly EventOperations[],
  documentsWith: DocumentsWith,
): Promise<readonly EventOperations[]> {
  const keys = await storedKeys(batch, documentsWith);
  return batch.map(({ position, operations }) => ({
    position,
    operations: operations.flatMap((operation): readonly Operation[] => {
      if (operation.kind === 'put') keys.add(operation.key, operation.document);
      if (operation.kind !== 'remove-where') return [operation];
      return keys.with(operation).map((key) => ({ kind: 'remove', key }));
    }),
  }));
}

type RemoveWhere = Extract<Operation, { kind: 'remove-where' }>;

/** One lookup for each field that the batch removes by. */
async function storedKeys(batch: readonly EventOperations[], documentsWith: DocumentsWith) {
  const removals = batch.flatMap(({ operations }) => operations.filter((each) => each.kind === 'remove-where'));
  const byField = new Map<string, Map<Json, Set<string>>>();
  for (const { field, values } of removals) {
    const known = byField.get(field) ?? new Map<Json, Set<string>>();
    for (const value of values) known.set(value, new Set());
    byField.set(field, known);
  }
  const enter = (field: string, { key, document }: FoundDocument) =>
    byField
      .get(field)
      ?.get(document[field] ?? null)
      ?.add(key);
  for (const [field, known] of byField) {
    for (const found of await documentsWith(field, [...known.keys()] as string[])) enter(field, found); // the values are strings
  }
  return {
    add: (key: string, document: FoundDocument['document']) => {
      for (const field of byField.keys()) enter(field, { key, document });
    },
    with: ({ field, values }: RemoveWhere): readonly string[] =>
      values.flatMap((value) => [...(byField.get(field)?.get(value) ?? [])]),
  };
}
