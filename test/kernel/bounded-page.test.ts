import { expect } from 'chai';
import fc from 'fast-check';
import { type BoundedPage, boundedPage, pageBounds, readAtOnce, unfiltered } from '../../src/kernel/bounded-page.js';
import type { PageRequest } from '../../src/kernel/pages.js';

type Row = { at: number; text?: string };

const rowsOf = (count: number, bytes = 0): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({ at: index + 1, ...(bytes > 0 && { text: 'x'.repeat(bytes) }) }));

/** A list of these rows, and the limits of its reads. */
function listOf(rows: readonly Row[]) {
  const limits: number[] = [];
  const fetch = async ({ limit, after = 0 }: PageRequest<number>) => {
    limits.push(limit);
    return rows.slice(after, after + limit);
  };
  return { limits, fetch };
}

const cursorOf = ({ at }: Row) => at;

/** A time slice that counts how often the thread was left. */
function countedSlice(hasEnded = () => false) {
  const slice = {
    taken: 0,
    hasEnded,
    async next() {
      slice.taken += 1;
    },
  };
  return slice;
}

const placesOf = ({ items }: BoundedPage<Row, number>) => items.map(({ at }) => at);

describe('a page of a list', () => {
  it('is read in chunks of at most 250 rows, each in its own time slice', async () => {
    const { fetch, limits } = listOf(rowsOf(1_000));
    const slice = countedSlice();
    const page = await boundedPage({ limit: 1_000 }, unfiltered(fetch, cursorOf), slice);
    expect(page.items).to.have.length(1_000);
    expect(Math.max(...limits)).to.equal(250);
    expect(slice.taken).to.equal(limits.length);
  });

  it('ends at 4 MiB of items, however many its caller requests, and says where the next one begins', async () => {
    const { fetch, limits } = listOf(rowsOf(400, 167_000));
    const page = await boundedPage({ limit: 1_000 }, unfiltered(fetch, cursorOf));
    expect(Buffer.byteLength(JSON.stringify(page.items))).to.be.within(pageBounds.bytes - 200_000, pageBounds.bytes);
    expect(page.next).to.equal(page.items.at(-1)?.at);
    expect(limits.slice(1).every((limit) => limit === 1)).to.equal(true);
  });

  it('has one item that is larger than that', async () => {
    const { fetch } = listOf(rowsOf(2, pageBounds.bytes + 1));
    const page = await boundedPage({ limit: 10 }, unfiltered(fetch, cursorOf));
    expect([placesOf(page), page.next]).to.deep.equal([[1], 1]);
  });

  it('examines at most 5,000 rows where few match', async () => {
    let examined = 0;
    const read = async ({ limit, after = 0 }: PageRequest<number>) => {
      examined += limit;
      return { items: [], next: after + limit };
    };
    const page = await boundedPage({ limit: 10 }, { read, cursorOf, examines: 'many' });
    expect(page).to.deep.equal({ items: [], next: examined });
    expect(examined).to.equal(5_000);
  });

  it('leaves the thread between items, where a slice is over', async () => {
    const { fetch } = listOf(rowsOf(10));
    const slice = countedSlice(() => true);
    await boundedPage({ limit: 10 }, readAtOnce(fetch, cursorOf), slice);
    expect(slice.taken).to.equal(1 + 10);
  });

  it('has each row once, in order, if each next one is requested, whatever the sizes', async () => {
    const lists = fc.record({
      sizes: fc.array(fc.constantFrom(0, 10, 60_000, 900_000), { maxLength: 60 }),
      limit: fc.integer({ min: 1, max: 70 }),
      atOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(lists, async ({ sizes, limit, atOnce }) => {
        const rows = sizes.map((size, index) => ({ at: index + 1, text: 'x'.repeat(size) }));
        const { fetch } = listOf(rows);
        const source = atOnce ? readAtOnce(fetch, cursorOf) : unfiltered(fetch, cursorOf);
        const seen: number[] = [];
        let after: number | undefined;
        do {
          const page = await boundedPage({ limit, after }, source, countedSlice());
          expect(page.items.length).to.be.at.most(limit);
          seen.push(...placesOf(page));
          after = page.next;
        } while (after !== undefined);
        expect(seen).to.deep.equal(rows.map(cursorOf));
      }),
      { numRuns: 60 },
    );
  });
});
