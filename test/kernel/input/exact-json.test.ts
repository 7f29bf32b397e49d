import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { holdsRawNumber, parseJson, withDoubles } from '../../../src/kernel/input/exact-json.js';
import { parseInput } from '../../../src/kernel/input/parse-input.js';
import { jsonText, numberText } from '../../support/json-texts.js';

describe('a parsed JSON text', () => {
  it('has the same digits when it is written again', () =>
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(JSON.stringify(parseJson(text))).to.equal(text);
      }),
    ));

  it('has the same digits, whatever whitespace the text has', () =>
    fc.assert(
      fc.property(numberText, fc.constantFrom('', ' ', '\n', '\t', '\r\n'), (number, space) => {
        expect(
          JSON.stringify(parseJson(`${space}{"a"${space}:${space}[${number}${space},${number}]${space}}`)),
        ).to.equal(`{"a":[${number},${number}]}`);
      }),
    ));

  it('is that of JSON.parse where doubles keep all numbers', () => {
    for (const text of ['{"a":[0,-5,4711,1.5,19.99,123456789012345,1e+21]}', '"9007199254740993"', 'null', '[]'])
      expect(parseJson(text)).to.deep.equal(JSON.parse(text));
  });

  it('is refused before it is parsed if it is long and nested thousands of levels deep', () => {
    const nested = (levels: number, inside: string) => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
    const long = JSON.stringify(`\\"${'['.repeat(70_000)}`);
    expect(() => parseJson(nested(40_000, ''))).to.throw(RangeError);
    expect(() => parseJson('['.repeat(70_000)), 'without an end').to.throw(RangeError);
    expect(() => parseJson(`{"a":`.repeat(20_000))).to.throw(RangeError);
    expect(parseJson(nested(999, long))).to.deep.equal(JSON.parse(nested(999, long)));
    expect(() => parseJson(`["${'x'.repeat(70_000)}`)).to.throw(SyntaxError);
  });

  it('computes with doubles where that is asked for, the largest in place of those out of range', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const doubles = withDoubles(parseJson(text));
        expect(holdsRawNumber(doubles)).to.equal(false);
        const plain = JSON.stringify(JSON.parse(text));
        if (!/e\+?\d{3}/i.test(text)) expect(JSON.stringify(doubles)).to.equal(plain);
      }),
    );
    expect(withDoubles(parseJson('[1e400,-1e400,1e-400]'))).to.eql([Number.MAX_VALUE, -Number.MAX_VALUE, 0]);
  });

  it('is not confused by objects that look like raw numbers', () => {
    const value = parseJson('{"rawJSON":"1"}');
    expect([holdsRawNumber(value), JSON.stringify(value)]).to.eql([false, '{"rawJSON":"1"}']);
  });

  it('throws SyntaxError for other text', () => {
    for (const text of ['', '{', '01', '1.', 'NaN', '"', '"\\"', '{"a":1.0,}'])
      expect(() => parseJson(text), text).to.throw(SyntaxError);
  });
});

describe('an input with raw numbers', () => {
  const schema = z.object({ data: z.unknown(), rate: z.number().optional() });

  it('keeps them where any JSON is taken', () =>
    expect(JSON.stringify(parseInput(schema, parseJson('{"data":[1.0,1e400]}')))).to.equal('{"data":[1.0,1e400]}'));

  it('has doubles where a number is taken', () => {
    const both = parseInput(schema, parseJson('{"data":[1.0],"rate":5.0}'));
    expect([JSON.stringify(both.data), both.rate]).to.eql(['[1.0]', 5]);
    expect(() => parseInput(schema, parseJson('1.0'))).to.throw('send a JSON object');
    expect(() => parseInput(z.strictObject({ a: schema }), parseJson('{"a":{"data":1.0},"b":1}'))).to.throw(
      /^unknown: b$/,
    );
    expect(() => parseInput(schema, parseJson('{"data":null,"rate":[5.0]}'))).to.throw(/^rate: /);
  });
});
