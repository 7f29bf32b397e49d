import { expect } from 'chai';
import { compileSchema } from '../../../src/flows/types/data-schema.js';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';

describe('the JSON Schema of an event type', () => {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    required: ['total'],
    additionalProperties: false,
    properties: {
      total: { type: 'number', minimum: 0 },
      when: { type: 'string', format: 'date-time' },
      items: { type: 'array', prefixItems: [{ $ref: '#/$defs/item' }], items: { $ref: '#/$defs/item' } },
      sku: { type: 'string', pattern: '^[A-Z]{2,4}-[0-9]+$' },
    },
    $defs: { item: { type: 'object', required: ['sku'], properties: { sku: { type: 'string' } } } },
  };

  it('accepts matching data, and names the place of a mismatch', () => {
    const check = compileSchema(schema);
    expect(check({ total: 1, items: [{ sku: 'a' }], sku: 'AB-1', when: 'any text: format is an annotation' })).to.equal(
      undefined,
    );
    expect(check({ total: '1' })).to.equal('data.total: must be number');
    expect(check({})).to.equal("data: must have required property 'total'");
    expect(check({ total: 1, items: [{ sku: 'a' }, {}] })).to.equal("data.items.1: must have required property 'sku'");
    expect(check({ total: 1, extra: 1 })).to.equal('data: must NOT have additional properties: extra');
    expect(check({ total: 1, sku: 'ab-1' })).to.equal('data.sku: must match pattern "^[A-Z]{2,4}-[0-9]+$"');
    expect(check(JSON.parse('{"total": 1, "__proto__": {}}'))).to.equal(
      'data: must NOT have additional properties: __proto__',
    );
  });

  it('names all mismatches, up to ten', () => {
    const check = compileSchema(schema);
    expect(check({ items: [{}], extra: 1 })).to.equal(
      "data: must have required property 'total'; data: must NOT have additional properties: extra; data.items.0: must have required property 'sku'",
    );
    const many = check({ total: 1, items: Array.from({ length: 25 }, () => ({})) }) ?? '';
    expect(many.split('; ')).to.have.length(11);
    expect(many).to.match(/items\.9: [^;]*; and 15 more$/);
  });

  it('names the first mismatch of large data alone, whose errors would be as many as its parts', () => {
    const check = compileSchema({ type: 'array', items: { type: 'string' } });
    expect(check(Array.from({ length: 100_000 }, () => 1))).to.equal('data.0: must be string');
  });

  it('may have an $id, to which its references are relative', () => {
    const check = compileSchema({ $id: 'https://example.com/order', ...schema });
    expect(check({ total: 1, items: [{}] })).to.equal("data.items.0: must have required property 'sku'");
  });

  it('matches patterns in linear time, also those that JavaScript would take years for', () => {
    const check = compileSchema({ type: 'string', pattern: '^(a+)+$' });
    expect(check(`${'a'.repeat(5_000)}!`)).to.match(/must match pattern/);
  });

  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  /** Checks data of n levels in 2^n steps. */
  const doublingTree = {
    b: { type: ['array', 'number'], items: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] } },
  };
  const deep = (levels: number): object => (levels === 0 ? {} : { properties: { a: deep(levels - 1) } });
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['no object', 'text', /^schema: must be an object$/],
    [
      'an unknown type',
      { properties: { a: { type: 'nummer' } } },
      /^schema\.properties\.a\.type: must be equal to one of/,
    ],
    ['an unknown keyword', { typ: 'object' }, /^schema: .*unknown keyword: "typ"/],
    ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, /^schema: .*draft-07/],
    [
      'a reference to another document',
      { $ref: 'https://example.com/schema.json' },
      /^schema\.\$ref: must refer to a part of this schema/,
    ],
    [
      'a reference to nothing',
      { properties: { a: { $ref: '#/$defs/b' } } },
      /^schema\.properties\.a\.\$ref: refers to nothing$/,
    ],
    ['a reference to itself', { $ref: '#' }, /refers to itself/],
    ['a recursive schema', { properties: { child: { $ref: '#' } } }, /refers to itself/],
    ['references that double', { $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }, /has more than 10000 parts/],
    [
      'references in a part with an $id, which are to that part',
      {
        $ref: '#/$defs/a',
        $defs: { b: true, a: { $id: 'https://example.com/a', $ref: '#/$defs/b', $defs: doublingTree } },
      },
      /^schema\.\$defs\.a\.\$id: must stand at the top$/,
    ],
    ['a check that promises a result', { $async: true, type: 'number' }, /^schema\.\$async: is not supported$/],
    ['a reference that is no URI', { $ref: '#/%E0%A4%A' }, /^schema\.\$ref: is not a URI$/],
    ['deep nesting', deep(1_000), /is nested more than 50 levels deep/],
    [
      'uniqueItems without a limit',
      { type: 'array', uniqueItems: true },
      /^schema\.uniqueItems: needs a maxItems of at most 1000/,
    ],
    ['a back-reference in a pattern', { type: 'string', pattern: '(a)\\1' }, /^schema: .*escape/],
    ['look-around in a pattern', { type: 'string', pattern: '(?=a)' }, /^schema: /],
    ['its size', { description: 'x'.repeat(40_000) }, /^schema: must have at most 32768 bytes/],
  ];
  for (const [what, wrong, message] of refused) {
    it(`is refused for ${what}`, () => expect(() => compileSchema(wrong)).to.throw(InvalidRequest, message));
  }
});
