import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { InvalidRequest } from '../../../src/kernel/domain-error.js';
import { parseInput } from '../../../src/kernel/input/parse-input.js';

const kinds = {
  required: z.string(),
  optional: z.string().optional(),
  nullable: z.string().nullable().optional(),
  default: z.string().default('usual'),
  emptyIsAbsent: z.preprocess((value) => (value === '' ? undefined : value), z.string().optional()),
} as const;
const name = fc.stringMatching(/^[a-z]{1,4}[A-Z][a-z]{1,4}$/);
const fields = fc
  .uniqueArray(fc.record({ name, kind: fc.constantFrom(...Object.keys(kinds)) }), {
    selector: (field) => field.name.toLowerCase(),
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all as readonly { name: string; kind: keyof typeof kinds }[]);
const shapeOf = (all: readonly { name: string; kind: keyof typeof kinds }[]) =>
  Object.fromEntries(all.map((field) => [field.name, kinds[field.kind]]));
const wrappers: readonly ((schema: z.ZodObject) => z.ZodType)[] = [
  (schema) => schema,
  (schema) => z.object({ inner: schema.optional() }),
  (schema) => z.array(schema).max(9),
  (schema) => z.strictObject({ inner: z.array(schema.nullable()).transform((each) => each) }),
];
const wrappings: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (inner) => ({ inner }),
  (value) => [value],
  (inner) => ({ inner: [inner] }),
];

describe('the fields of an input', () => {
  it('are absent where they are null and optional, at any depth', () =>
    fc.assert(
      fc.property(fields, fc.nat({ max: wrappers.length - 1 }), fc.boolean(), (all, depth, isStrict) => {
        const shape = shapeOf(all);
        const schema = wrappers[depth]?.(isStrict ? z.strictObject(shape) : z.object(shape)) ?? z.never();
        const sent = all.map((field) => [field.name, field.kind === 'required' ? 'x' : null]);
        const present = sent.filter((_, index) => ['required', 'nullable'].includes(all[index]?.kind ?? ''));
        const wrap = (entries: typeof sent) => wrappings[depth]?.(Object.fromEntries(entries));
        expect(parseInput(schema, wrap(sent))).to.deep.equal(parseInput(schema, wrap(present)));
      }),
    ));

  it('are refused where their names differ in case, with the right name', () =>
    fc.assert(
      fc.property(fields, fc.nat({ max: wrappers.length - 1 }), fc.boolean(), (all, depth, isStrict) => {
        const shape = shapeOf(all);
        const schema = wrappers[depth]?.(isStrict ? z.strictObject(shape) : z.object(shape)) ?? z.never();
        const [misnamed = ''] = all.map((field) => field.name);
        for (const wrong of [misnamed.toUpperCase(), misnamed.toLowerCase()]) {
          const sent = Object.fromEntries(all.map((field) => [field.name, 'x']));
          const refused = (value: object) => () => parseInput(schema, wrappings[depth]?.(value));
          expect(refused({ ...sent, [wrong]: 'x' })).to.throw(InvalidRequest, `${wrong}: the name is ${misnamed}`);
          expect(refused({ ...sent, [wrong]: null })).to.throw(InvalidRequest, `${wrong}: the name is ${misnamed}`);
        }
      }),
    ));

  it('stay as they are where null is one of their values, or they are required', () => {
    expect(
      parseInput(z.object({ rate: z.int().nullable().optional(), data: z.unknown() }), { rate: null, data: null }),
    ).to.deep.equal({ rate: null, data: null });
    expect(() => parseInput(z.object({ type: z.string() }), { type: null })).to.throw(InvalidRequest, /^type: /);
  });

  it('are no concern inside free JSON', () => {
    const schema = z.object({ data: z.unknown(), orgId: z.string().optional() });
    const data = { orgid: null, Data: [{ ORGID: null }] };
    expect(parseInput(schema, { data })).to.deep.equal({ data });
    expect(parseInput(schema, JSON.parse('{"data":1,"__proto__":null,"constructor":null,"orgId":null}'))).to.deep.equal(
      { data: 1 },
    );
  });
});
