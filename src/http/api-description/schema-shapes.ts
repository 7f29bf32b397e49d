import { z } from 'zod';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { isNullAbsent } from '../../kernel/input/sent-fields.js';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Changes a schema of the API description so that generators of clients make code from it that compiles. */
export const shapeForGenerators: ZodOpenApiOverride = ({ zodSchema, jsonSchema, path, io }) => {
  const schema = jsonSchema as JsonSchema; // of zod, which makes it
  if (zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodNumber) describeParsed(schema, zodSchema.out);
  // zod leaves it out beside a transformation.
  if (zodSchema instanceof z.ZodDefault && schema.type === 'integer') schema.default = zodSchema.def.defaultValue;
  simplify(schema);
  nullByType(schema);
  if (io === 'input' && path.length > 0) acceptNull(zodSchema, schema);
};

/** Describes a parameter as the number that is read from its text. */
function describeParsed(schema: JsonSchema, number: z.ZodNumber): void {
  delete schema.pattern;
  const { $schema: _, ...described } = z.toJSONSchema(number);
  Object.assign(schema, described);
}

/** Formats that say as much as their pattern, which is long. */
const namedFormats: ReadonlySet<unknown> = new Set(['date', 'date-time', 'uuid']);

/** Formats of zod alone, for what the pattern says. */
const ownFormats: ReadonlySet<unknown> = new Set(['starts_with', 'ends_with', 'includes', 'regex']);

function simplify(schema: JsonSchema): void {
  if (namedFormats.has(schema.format)) delete schema.pattern;
  if (ownFormats.has(schema.format)) delete schema.format;
  // Generated Java does not compile with constants of these types.
  if (Number.isInteger(schema.const)) schema.type = 'integer';
  if (typeof schema.const === 'boolean') delete schema.const;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.discriminator) delete schema.type; // each option says it
}

/** Optional fields of a body may be null, which counts as absent. */
function acceptNull(schema: z.core.$ZodTypes, { properties = {} }: JsonSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)) {
    const described = properties[name] as JsonSchema;
    // Later: zod completes schemas that other objects share after this one.
    if (isNullAbsent(field)) properties[name] = { toJSON: () => orNull({ ...described }) };
  }
}

function orNull({ description, ...described }: JsonSchema): JsonSchema {
  const schema: JsonSchema = { anyOf: [described, { type: 'null' }] };
  nullByType(schema);
  const says = [description, ...usualOf(schema)].filter(Boolean).join(' ');
  return { ...(says && { description: says }), ...schema };
}

/** The default of an enumeration that may be null, as a text: generated Go does not compile with it. */
function usualOf(schema: JsonSchema): readonly string[] {
  if (schema.enum === undefined || schema.default === undefined) return [];
  const usual = `Without it \`${schema.default}\`.`;
  delete schema.default;
  return [usual];
}

/** A choice between a schema and null as a list of types, or as `oneOf` of a reference: generators make empty classes of `anyOf`. */
function nullByType(schema: JsonSchema): void {
  const [one, none, ...others] = schema.anyOf ?? [];
  if (one === undefined || none?.type !== 'null' || others.length > 0) return;
  delete schema.anyOf;
  simplify(one); // zod visits it later
  if (one.anyOf) schema.anyOf = [...one.anyOf, none];
  else if (one.type === undefined) schema.oneOf = [one, none];
  else {
    const values = one.enum ?? (one.const === undefined ? undefined : [one.const]);
    const { const: _, ...described } = one;
    Object.assign(schema, {
      ...described,
      ...schema,
      type: [one.type, 'null'],
      ...(values && { enum: [...values, null] }),
    });
  }
}

/** Generators name classes after schemas: an object without a name gets that of its operation. */
export function namedAfter(operation: string, schema: z.ZodType): z.ZodType {
  const isNamed = schema.meta()?.id !== undefined;
  if (isNamed || !(schema instanceof z.ZodObject) || Object.keys(schema.shape).length === 0) return schema;
  return schema.meta({ id: `${operation.charAt(0).toUpperCase()}${operation.slice(1)}` });
}
