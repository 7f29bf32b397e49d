import { expect } from 'chai';
import { filterObject, filterText, mismatches, mismatchText, selects } from '../../../src/listeners/filters/filter.js';
import type { Json, JsonObject } from '../../../src/stores/event-store/event-store.js';
import { costlyData, costlyFilters } from '../../support/costly-filters.js';
import { processorMs } from '../../support/turns-during.js';

const event = (data: Json) => ({
  id: 'order-1',
  type: 'order.paid',
  timestamp: '2026-01-31T12:00:00.000Z',
  orgId: 'acme',
  flowId: 'f-1',
  data,
});

/** MongoDB's semantics, example by example: the filter, and data that it selects or excludes. */
const examples: readonly (readonly [string, JsonObject, { selects: readonly Json[]; excludes: readonly Json[] }])[] = [
  [
    'several conditions, all of which must hold',
    { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } },
    {
      selects: [{ total: 41, currency: 'CHF' }],
      excludes: [{ total: 40, currency: 'CHF' }, { total: 41, currency: 'USD' }, {}],
    },
  ],
  ['a field of the event itself', { type: 'order.paid', id: { $ne: 'order-2' } }, { selects: [{}], excludes: [] }],
  [
    'null: also a missing field',
    { 'data.a': null },
    { selects: [{}, { a: null }, { a: [null] }], excludes: [{ a: 0 }, { a: '' }, { a: [1] }] },
  ],
  [
    'an object: another one has the same fields, also where a value is null',
    { 'data.a': { c: null } },
    { selects: [{ a: { c: null } }, { a: [{ c: null }] }], excludes: [{ a: { d: 0 } }, { a: {} }, { a: [{ d: 0 }] }] },
  ],
  ['$ne null: only a present field', { 'data.a': { $ne: null } }, { selects: [{ a: 0 }], excludes: [{}, { a: null }] }],
  [
    '$exists: also if it is null',
    { 'data.a': { $exists: true } },
    { selects: [{ a: null }, { a: [] }], excludes: [{}] },
  ],
  [
    '$ne: also if the field is missing',
    { 'data.a': { $ne: 1 } },
    { selects: [{}, { a: '1' }], excludes: [{ a: 1 }, { a: [2, 1] }] },
  ],
  [
    '$nin, as $ne of each',
    { 'data.a': { $nin: [1, null] } },
    { selects: [{ a: 2 }], excludes: [{}, { a: 1 }, { a: [1] }] },
  ],
  [
    '$not: also if the field is missing',
    { 'data.a': { $not: { $gt: 5 } } },
    { selects: [{}, { a: 5 }, { a: 'x' }], excludes: [{ a: 6 }] },
  ],
  [
    'an order only between values of one type',
    { 'data.a': { $gt: 1 } },
    { selects: [{ a: 2 }], excludes: [{ a: '2' }, { a: true }, { a: null }, { a: { b: 2 } }, {}] },
  ],
  [
    'an order of texts by code units',
    { 'data.a': { $gte: 'b' } },
    { selects: [{ a: 'b' }, { a: 'ä' }], excludes: [{ a: 'a' }, { a: 'B' }, { a: 3 }] },
  ],
  [
    'an array, of which any element may match',
    { 'data.a': { $lt: 1 } },
    { selects: [{ a: [5, 0] }], excludes: [{ a: [5] }, { a: [] }, { a: [[0]] }] },
  ],
  [
    'two conditions, met by different elements',
    { 'data.a': { $gt: 5, $lt: 1 } },
    { selects: [{ a: [0, 10] }], excludes: [{ a: [0, 3] }] },
  ],
  [
    '$elemMatch, met by one element',
    { 'data.a': { $elemMatch: { $gt: 1, $lt: 5 } } },
    { selects: [{ a: [0, 3] }], excludes: [{ a: [0, 10] }, { a: 3 }] },
  ],
  [
    '$elemMatch on the fields of one element',
    { 'data.items': { $elemMatch: { sku: 'A', count: { $gte: 2 } } } },
    {
      selects: [
        {
          items: [
            { sku: 'B', count: 2 },
            { sku: 'A', count: 2 },
          ],
        },
      ],
      excludes: [
        {
          items: [
            { sku: 'A', count: 1 },
            { sku: 'B', count: 2 },
          ],
        },
        { items: { sku: 'A', count: 2 } },
      ],
    },
  ],
  [
    'a path through an array',
    { 'data.items.sku': 'A' },
    { selects: [{ items: [{ sku: 'B' }, { sku: 'A' }] }], excludes: [{ items: [{ sku: 'B' }] }, { items: [] }] },
  ],
  [
    'a path with an index',
    { 'data.items.0.sku': 'A' },
    { selects: [{ items: [{ sku: 'A' }] }], excludes: [{ items: [{ sku: 'B' }, { sku: 'A' }] }] },
  ],
  [
    'a whole array',
    { 'data.a': [1, 2] },
    { selects: [{ a: [1, 2] }, { a: [[1, 2], 3] }], excludes: [{ a: [2, 1] }, { a: [1, 2, 3] }] },
  ],
  [
    'a whole object, with its fields in any order',
    { 'data.a': { b: 1, c: 2 } },
    { selects: [{ a: { c: 2, b: 1 } }], excludes: [{ a: { b: 1 } }, { a: { b: 1, c: 2, d: 3 } }] },
  ],
  [
    '$size',
    { 'data.a': { $size: 2 } },
    { selects: [{ a: [1, 2] }, { a: [[], []] }], excludes: [{ a: [1] }, { a: 'ab' }, { a: [[1, 2]] }, {}] },
  ],
  ['$all', { 'data.a': { $all: [1, 2] } }, { selects: [{ a: [2, 1, 3] }], excludes: [{ a: [1] }, { a: 1 }] }],
  [
    '$and, $or and $nor',
    { $and: [{ $or: [{ 'data.a': 1 }, { 'data.b': 1 }] }, { $nor: [{ 'data.c': 1 }] }] },
    { selects: [{ a: 1 }, { b: 1, c: 2 }], excludes: [{}, { a: 1, c: 1 }] },
  ],
  // Names that are properties of JavaScript's own arrays, texts and objects.
  [
    'a field called length',
    { 'data.parcels.length': { $gt: 100 } },
    {
      selects: [{ parcels: [{ length: 200 }] }],
      excludes: [{ parcels: Array.from({ length: 150 }, () => 1) }, { parcels: 'x'.repeat(150) }],
    },
  ],
  [
    'a field called toString',
    { 'data.toString': { $exists: true } },
    { selects: [{ toString: 1 }], excludes: [{}, { a: 1 }] },
  ],
];

describe('a filter', () => {
  for (const [what, filter, expected] of examples) {
    it(`knows ${what}`, () => {
      const text = filterText(filter);
      for (const data of expected.selects) expect(selects(text, event(data)), JSON.stringify(data)).to.equal(true);
      for (const data of expected.excludes) expect(selects(text, event(data)), JSON.stringify(data)).to.equal(false);
    });
  }

  it('examines at most 1,000 values of an event, so that it costs little for any', () => {
    const text = filterText({ 'data.a': 1 });
    const at = (index: number) => event({ a: Array.from({ length: 100_000 }, (_, each) => Number(each === index)) });
    expect(selects(text, at(999))).to.equal(true);
    expect(selects(text, at(1_000))).to.equal(false);
    const items = (index: number) =>
      event({ items: Array.from({ length: 5_000 }, (_, each) => ({ a: Number(each === index) })) });
    expect(selects(filterText({ 'data.items.a': 1 }), items(400))).to.equal(true);
    expect(selects(filterText({ 'data.items.a': 1 }), items(4_000))).to.equal(false);
  });

  const longPaths = filterObject(costlyFilters(1)[0] ?? null) ?? {};
  const tooCostly: readonly (readonly [string, JsonObject, Json])[] = [
    ['reaches the same arrays in many ways, again and again', ...nestedSelections()],
    [
      'applies many conditions to the elements of elements',
      { 'data.a': { $elemMatch: { $or: Array.from({ length: 90 }, (_, each) => ({ b: each + 5 })) } } },
      { a: Array.from({ length: 1_000 }, () => ({ b: Array.from({ length: 480 }, () => 0) })) },
    ],
    ['follows long paths in the elements of an array', longPaths, costlyData],
  ];
  for (const [what, filter, data] of tooCostly) {
    it(`selects nothing where it ${what}, says so, and takes little time`, () => {
      const text = filterText(filter);
      const examined = event(data);
      expect(selects(text, examined)).to.equal(false);
      expect(mismatchText(mismatches(text, examined))).to.match(/of more than 50000 steps failed on this event/);
      const totalMs = processorMs(() => {
        for (let time = 0; time < 20; time += 1) selects(text, examined);
      });
      expect(totalMs / 20).to.be.below(20); // about 2 ms
    });
  }

  it('finds a value among many in one step', () => {
    const skus = filterText({ 'data.items.sku': { $in: Array.from({ length: 99 }, (_, each) => `sku-${each}`) } });
    const items = (last: string) =>
      Array.from({ length: 900 }, (_, each) => ({ sku: each === 499 ? last : `${each}` }));
    expect(selects(skus, event({ items: items('sku-98') }))).to.equal(true);
    expect(selects(skus, event({ items: items('sku-99') }))).to.equal(false);
    expect(selects(filterText({ 'data.a': { $in: [1, null] } }), event({}))).to.equal(true);
  });

  it('compares large values with small ones without reading most of the large ones', () => {
    const lists = { data: { $in: Array.from({ length: 49 }, (_, each) => [each + 5]) } };
    const objects = { data: { $in: Array.from({ length: 49 }, (_, each) => ({ a: each })) } };
    const { counted, reads } = countedReads();
    const zeros = (length: number): Json[] => Array.from({ length }, () => 0);
    const rows = counted(Array.from({ length: 1_000 }, () => counted(zeros(490))));
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, each) => [`k${each}`, each]));
    for (const data of [rows, counted(zeros(490_000)), [rows], counted(fields)]) {
      for (const filter of [lists, objects]) expect(selects(filterText(filter), event(data))).to.equal(false);
    }
    expect(reads()).to.be.within(1, 100_000); // of 490,000 elements for each of 49 operands
  });

  const why = (filter: JsonObject, data: Json) => mismatchText(mismatches(filterText(filter), event(data)));

  it('says which condition failed on which value', () => {
    expect(why({ type: 'order.paid', 'data.total': { $gt: 40 } }, { total: 12 })).to.equal(
      'data.total.$gt 40 failed on 12',
    );
    expect(why({ 'data.total': { $gt: 40 } }, {})).to.equal('data.total.$gt 40 failed on a missing field');
    expect(why({ 'data.items.sku': 'A' }, { items: [{ sku: 'B' }, { sku: 'C' }] })).to.equal(
      'data.items.sku "A" failed on ["B","C"]',
    );
    expect(why({ 'data.tags': { $all: ['a', 'b'] } }, { tags: ['a'] })).to.equal(
      'data.tags.$all[1] "b" failed on ["a"]',
    );
  });

  it('names each failed alternative, and the value that a negation found', () => {
    expect(why({ $or: [{ 'data.a': 1 }, { 'data.b': { $lt: 2 } }] }, { a: 3 })).to.equal(
      '$or[0].data.a 1 failed on 3, and $or[1].data.b.$lt 2 failed on a missing field',
    );
    expect(why({ 'data.a': { $nin: [1, 2] } }, { a: 2 })).to.equal('data.a.$nin [1,2] failed on 2');
    expect(why({ $nor: [{ 'data.a': 1 }, { 'data.b': 2 }] }, { b: 2 })).to.equal('$nor[1].data.b 2 failed on 2');
    expect(why({ 'data.a': { $not: { $gt: 1 } } }, { a: 5 })).to.equal('data.a.$not.$gt 1 failed on 5');
    expect(why({ 'data.a': { $exists: false } }, { a: 5 })).to.equal('data.a.$exists false failed on 5');
  });

  it('shortens the description of a large value', () => {
    const [failed] = mismatches(filterText({ 'data.a': 1 }), event({ a: 'x'.repeat(100_000) }));
    expect(failed?.found)
      .to.have.lengthOf(201)
      .and.to.match(/^"x+…$/);
  });

  it('says why without reading a large value again for each alternative', () => {
    const { counted, reads } = countedReads();
    const numbers = counted(Array.from({ length: 12_000 }, (_, each) => each));
    const excluded = event({ numbers });
    const text = filterText({ $or: Array.from({ length: 100 }, (_, each) => ({ data: each })) });
    expect(mismatches(text, excluded)).to.have.lengthOf(10);
    const readOnce = reads();
    for (let listener = 0; listener < 100; listener += 1) mismatches(text, excluded);
    expect(readOnce).to.be.within(1, 1_000);
    expect(reads()).to.equal(readOnce);
  });

  it('says why with the beginning of a value, of any kind', () => {
    const found = (data: Json) => mismatches(filterText({ 'data.a': 'none' }), event({ a: data }))[0]?.found;
    for (const value of [0, false, 'ä"\\\u0000', [], {}, { b: [1, { c: 'd' }], '"': null }, [[['a']], 'b']] as Json[]) {
      expect(found(value)).to.equal(JSON.stringify(value));
    }
    const long = { b: Array.from({ length: 100 }, (_, each) => ({ c: each, d: 'e' })) };
    expect(found(long)).to.equal(`${JSON.stringify(long).slice(0, 200)}…`);
  });

  it('of a later release selects nothing, and says so', () => {
    const later = '{"data.a":{"$newest":1}}';
    expect(selects(later, event({ a: 1 }))).to.equal(false);
    expect(mismatchText(mismatches(later, event({ a: 1 })))).to.match(/later release/);
  });
});

/** Counts what is read of the values of `counted`. */
function countedReads() {
  let reads = 0;
  const counting = (read: (...args: never[]) => unknown) =>
    ((...args: never[]) => {
      reads += 1;
      return read(...args);
    }) as never;
  const handler: ProxyHandler<object> = {
    get: counting(Reflect.get as never),
    getOwnPropertyDescriptor: counting(Reflect.getOwnPropertyDescriptor as never),
  };
  return {
    counted: <Value extends object>(value: Value): Value => new Proxy(value, handler) as Value,
    reads: () => reads,
  };
}

/** A filter that without a limit takes minutes, with an event of some kilobytes: a number of a path selects an element or a field. */
function nestedSelections(): readonly [JsonObject, Json] {
  const path = Array.from({ length: 13 }, () => '0').join('.');
  let data: Json = [{ z: 1 }];
  for (let level = 0; level < 36; level += 1) data = [{ '0': data }];
  let filter: JsonObject = { z: { $gt: 5 } };
  for (let level = 0; level < 3; level += 1) filter = { [path]: { $elemMatch: filter } };
  return [{ [`data.${path}`]: { $elemMatch: filter } }, data];
}
