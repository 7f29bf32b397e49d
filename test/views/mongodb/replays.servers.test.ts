import { expect } from 'chai';
import fc from 'fast-check';
import { collectionsOf } from '../../../src/views/mongodb/collections.js';
import { writeDocuments } from '../../../src/views/mongodb/documents.js';
import { openMongoReadModel } from '../../../src/views/mongodb/mongodb-read-model.js';
import { buildName, type KeyedOperation, patch, put, remove } from '../../../src/views/projection.js';
import type { FoundDocument } from '../../../src/views/read-model.js';
import { things } from '../../contract/read-model/support.js';
import { onMongoDb } from '../../support/mongodb/on-mongodb.js';

const key = fc.constantFrom('a', 'b', 'c');
const fields = fc.record({ rank: fc.nat(9), name: fc.nat(9) }, { requiredKeys: [] });
const operation: fc.Arbitrary<KeyedOperation> = fc.oneof(
  fc.record({ key, document: fields }).map((each) => put(each.key, each.document)),
  fc.record({ key, fields }).map((each) => patch(each.key, each.fields)),
  key.map((each) => remove(each)),
);
const history = fc
  .array(fc.array(operation, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 12 })
  .map((events) => events.map((operations, index) => ({ position: BigInt(index), operations })));

type Batch = readonly { position: bigint; operations: readonly KeyedOperation[] }[];

/** A writer: after how many events each batch ends, and whether it dies between the documents and the checkpoint. */
const writer = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), dies: fc.boolean() }), { maxLength: 8 });

/** Documents after the operations, by their definition. */
function left(events: Batch): readonly FoundDocument[] {
  const documents = new Map<string, FoundDocument['document']>();
  for (const each of events.flatMap(({ operations }) => operations)) {
    const before = documents.get(each.key);
    if (each.kind === 'put') documents.set(each.key, each.document);
    else if (each.kind === 'remove') documents.delete(each.key);
    else if (before) documents.set(each.key, { ...before, ...each.fields });
  }
  return [...documents].map(([of, document]) => ({ key: of, document })).sort((a, b) => (a.key < b.key ? -1 : 1));
}

onMongoDb('replays in MongoDB', ({ database }) => {
  it('come to the same, however batches are cut, cut short and written by two at once', async function () {
    this.timeout(120_000);
    const shared = database(crypto.randomUUID());
    let run = 0;
    await fc.assert(
      fc.asyncProperty(history, writer, writer, async (events, paused, later) => {
        run += 1;
        const readModel = openMongoReadModel(shared); // another would not read a build that is behind the last one
        const name = buildName(things, `run-${run}`);
        await readModel.open(things, name);
        await readModel.flip(things, name);
        const documents = collectionsOf(shared.db).documents(name);

        /** Continues from the checkpoint, as the next lease holder does. */
        async function write(term: bigint, batches: readonly { size: number; dies: boolean }[]): Promise<void> {
          const build = await readModel.open(things, name, { term });
          let from = ((await build.checkpoint()).position ?? -1n) + 1n;
          for (const { size, dies } of [...batches, { size: events.length, dies: false }]) {
            const batch = events.slice(Number(from), Number(from) + size);
            const last = batch.at(-1);
            if (!last) return;
            if (dies) await writeDocuments(documents, batch);
            else await build.apply(batch, last.position);
            if (!dies) from = last.position + 1n;
          }
        }
        // The one of the earlier term notices at its first checkpoint that it is over, and stops.
        await Promise.allSettled([write(1n, paused), write(2n, later)]);
        await write(3n, []);
        expect(await readModel.find(things, { where: {} })).to.deep.equal(left(events));
      }),
      { numRuns: 40 },
    );
  });
});
