import { expect } from 'chai';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { filterObject, filterText } from '../../../src/listeners/filters/filter.js';

const deep = (levels: number): object => (levels === 0 ? { 'data.a': 1 } : { $and: [deep(levels - 1)] });

describe('the filter of a subscription', () => {
  it('is stored as canonical JSON and returned as it was sent', () => {
    const filter = { 'data.total': { $gt: 40 }, 'data.currency': { $in: ['EUR', 'CHF'] } };
    const text = filterText(filter);
    expect(text).to.equal('{"data.currency":{"$in":["EUR","CHF"]},"data.total":{"$gt":40}}');
    expect(filterObject(text)).to.deep.equal(filter);
  });

  it('is none if it is null, missing or empty', () => {
    for (const none of [null, undefined, {}]) expect(filterText(none)).to.equal(null);
  });

  it('may have each allowed operator', () => {
    for (const operators of [
      { $eq: 1, $ne: null, $gt: 1, $gte: 'a', $lt: 2.5, $lte: 'b' },
      { $in: [1, null, [1], { a: 1 }], $nin: ['a'], $all: [1, 'a'], $exists: false, $size: 0 },
      { $not: { $gt: 1 }, $elemMatch: { price: { $gt: 1 }, $or: [{ sku: 'a' }, { sku: 'b' }] } },
      { $elemMatch: { $gt: 1, $lt: 3 } },
    ]) {
      expect(filterText({ 'data.a': operators }), JSON.stringify(operators)).to.be.a('string');
    }
    for (const operator of ['$and', '$or', '$nor'])
      expect(filterText({ [operator]: [{ type: 'a' }] })).to.be.a('string');
  });

  const refused: readonly (readonly [string, unknown, string])[] = [
    ['an unknown operator', { 'data.total': { $gtt: 40 } }, 'filter.data.total.$gtt: unknown operator'],
    ['$where', { $where: 'sleep(1000)' }, 'filter.$where: unknown operator'],
    ['$expr', { $expr: { $gt: ['$a', 1] } }, 'filter.$expr: unknown operator'],
    ['a regular expression', { 'data.a': { $regex: '(a+)+$' } }, 'filter.data.a.$regex: unknown operator'],
    ['$where below a field', { 'data.a': { $where: 'true' } }, 'filter.data.a.$where: unknown operator'],
    ['an operator without a field', { $gt: 5 }, 'filter.$gt: must stand below a field'],
    ['a logical operator below a field', { 'data.a': { $or: [{ b: 1 }] } }, 'filter.data.a.$or: unknown operator'],
    [
      'a mixture of operators and names',
      { 'data.a': { $gt: 1, b: 2 } },
      'filter.data.a.b: must be an operator, as its neighbours are',
    ],
    [
      'an operator in a value',
      { 'data.a': { $eq: { $gt: 1 } } },
      'filter.data.a.$eq.$gt: an operator cannot stand here',
    ],
    ['a list', [{ 'data.a': 1 }], 'filter: must be an object'],
    ['a text', 'data.a > 1', 'filter: must be an object'],
    ['an order of booleans', { 'data.a': { $gt: true } }, 'filter.data.a.$gt: must be a number or a string'],
    ['$in without a list', { 'data.a': { $in: 'EUR' } }, 'filter.data.a.$in: must be a list with at least one entry'],
    ['an empty $or', { $or: [] }, 'filter.$or: must be a list with at least one entry'],
    ['an empty query', { $or: [{ type: 'a' }, {}] }, 'filter.$or[1]: must not be empty'],
    ['$exists with a number', { 'data.a': { $exists: 1 } }, 'filter.data.a.$exists: must be true or false'],
    ['$size with a fraction', { 'data.a': { $size: 1.5 } }, 'filter.data.a.$size: must be a whole number from 0'],
    ['$not without an operator', { 'data.a': { $not: 5 } }, 'filter.data.a.$not: must be an object'],
    ['a number beyond the range of JSON', JSON.parse('{"data.a": 1e999}'), 'filter.data.a: must be a finite number'],
    [
      'a field that no event has',
      { total: { $gt: 40 } },
      'filter.total: must begin with one of id, type, timestamp, orgId, flowId, data; fields of your own are below data',
    ],
    ['an empty name in a path', { 'data..a': 1 }, 'filter.data..a: must be a path such as data.total'],
    ['a long path', { [`data.${'a'.repeat(300)}`]: 1 }, 'must be a path of at most 256 characters and 32 names'],
    ['an operator in a path', { 'data.$a': 1 }, 'filter.data.$a: a name in a path must not begin with $'],
    ['a prototype in a path', { 'data.__proto__.a': 1 }, 'filter.data.__proto__.a: this name is not allowed in a path'],
    [
      'a constructor in a path',
      { 'data.constructor': 1 },
      'filter.data.constructor: this name is not allowed in a path',
    ],
    [
      'a prototype as a key',
      JSON.parse('{"__proto__": {"a": 1}}'),
      'filter.__proto__: this name is not allowed in a path',
    ],
    [
      'a prototype in a value',
      { 'data.a': JSON.parse('{"__proto__": {"a": 1}}') },
      'filter.data.a.__proto__: this name is not allowed',
    ],
    ['deep nesting', deep(6), 'is nested more than 10 levels deep'],
    ['nesting that would overflow the stack', deep(5_000), 'is nested more than 10 levels deep'],
    [
      'too many conditions',
      { $or: Array.from({ length: 101 }, (_, a) => ({ 'data.a': a })) },
      'filter.$or[100].data.a: is more than the 100 conditions and values that a filter may have',
    ],
    [
      'too many values',
      { 'data.a': { $in: Array.from({ length: 101 }, (_, a) => a) } },
      'filter.data.a.$in[100]: is more than the 100 conditions and values that a filter may have',
    ],
    ['a long text', { 'data.a': 'ä'.repeat(2_100) }, 'filter: must have at most 4096 bytes as JSON'],
  ];
  for (const [what, filter, message] of refused) {
    it(`is refused for ${what}, with its place`, () =>
      expect(() => filterText(filter))
        .to.throw(InvalidRequest)
        .with.property('message')
        .that.includes(message));
  }
});
