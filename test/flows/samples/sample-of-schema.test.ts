import { expect } from 'chai';
import { sampleOfSchema } from '../../../src/flows/samples/declared-samples.js';
import { compileSchema } from '../../../src/flows/types/data-schema.js';

describe('a sample of a JSON Schema', () => {
  for (const [what, schema, sample] of [
    [
      'of an object',
      {
        type: 'object',
        required: ['total'],
        properties: {
          total: { type: 'number', minimum: 40, multipleOf: 25 },
          currency: { enum: ['EUR', 'CHF'] },
          paidAt: { type: 'string', format: 'date-time' },
          code: { type: 'string', minLength: 6, maxLength: 8 },
          count: { type: 'integer', exclusiveMinimum: 1 },
          gift: { type: 'boolean' },
          note: { type: ['null', 'string'] },
          lines: { items: { properties: { sku: { const: 'A-1' } } }, minItems: 2, type: 'array' },
          pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        },
        additionalProperties: false,
      },
      {
        total: 50,
        currency: 'EUR',
        paidAt: '2026-01-01T12:00:00Z',
        code: 'text..',
        count: 2,
        gift: true,
        note: null,
        lines: [{ sku: 'A-1' }, { sku: 'A-1' }],
        pair: ['text', 1],
      },
    ],
    ['with examples and defaults', { properties: { a: { examples: [7] }, b: { default: [] } } }, { a: 7, b: [] }],
    [
      'of parts',
      {
        allOf: [{ $ref: '#/$defs/a' }, { properties: { b: { type: 'integer' } } }],
        oneOf: [
          { properties: { c: { const: 1 } }, required: ['c'] },
          { properties: { c: { const: 2 } }, required: ['c'] },
        ],
        $defs: { a: { properties: { a: { type: 'string' } } } },
      },
      { a: 'text', b: 1, c: 1 },
    ],
    ['of any data', true, null],
    ['of a number', { type: 'integer', maximum: -5 }, -5],
  ] as const) {
    it(`${what} is one that the schema accepts`, async () => {
      expect(await sampleOfSchema(JSON.stringify(schema))).to.deep.equal(sample);
      expect(compileSchema(schema)(sample)).to.equal(undefined);
    });
  }

  it('has few elements in arrays of arrays, which are not made where the schema requires very many', async () => {
    const nested = (levels: number): object =>
      levels === 0 ? { type: 'string' } : { type: 'array', minItems: 10, items: nested(levels - 1) };
    expect(JSON.stringify(await sampleOfSchema(JSON.stringify(nested(2)))).match(/text/g)).to.have.lengthOf(100);
    expect(await sampleOfSchema(JSON.stringify(nested(8)))).to.equal(undefined);
  });

  it('is none where none is found', async () => {
    for (const schema of [false, { type: 'string', pattern: '^[0-9]+$' }, { not: {} }, {}])
      expect(await sampleOfSchema(JSON.stringify(schema)), JSON.stringify(schema)).to.equal(undefined);
  });
});
