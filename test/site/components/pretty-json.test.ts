import { expect } from 'chai';
import fc from 'fast-check';
import { prettyJson } from '../../../src/site/components/pretty-json.js';
import { processorMs } from '../../support/turns-during.js';

describe('JSON for people', () => {
  it('has values that fit into a line in one, and others indented', () => {
    expect(prettyJson({ 'data.total': { $gt: 40 }, type: { $in: ['a', 'b'] } })).to.equal(
      '{"data.total": {"$gt": 40}, "type": {"$in": ["a", "b"]}}',
    );
    const filter = { 'data.customer.country': { $in: ['CH', 'LI', 'AT'] }, 'data.total': { $gte: 100, $lt: 1_000 } };
    expect(prettyJson({ ...filter, empty: [{}, []] })).to.equal(
      [
        '{',
        '  "data.customer.country": {"$in": ["CH", "LI", "AT"]},',
        '  "data.total": {"$gte": 100, "$lt": 1000},',
        '  "empty": [{}, []]',
        '}',
      ].join('\n'),
    );
    expect(prettyJson(['x'.repeat(80), null])).to.equal(`[\n  "${'x'.repeat(80)}",\n  null\n]`);
  });

  it('is the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = prettyJson(value);
        expect(JSON.stringify(JSON.parse(text))).to.equal(JSON.stringify(value));
      }),
    );
  });

  it('reads large values once, not once for each level above them', () => {
    let value: unknown = 'x'.repeat(250_000);
    for (let level = 0; level < 100; level += 1) value = { a: value, b: Array(100).fill('text') };
    expect(processorMs(() => prettyJson(value))).to.be.below(500);
  });
});
