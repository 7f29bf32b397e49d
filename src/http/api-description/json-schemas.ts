import { z } from 'zod';
import { isNullAbsent } from '../../kernel/input/sent-fields.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

export type JsonSchemas = {
  /**
   * JSON Schema (2020-12) of a schema; schemas with an `id` (`.meta({ id })`) become references, and with a name an object without
   * one becomes a component of this name, after which generators name its class.
   */
  of: (schema: z.ZodType, side: Side, name?: string) => JsonSchema;
  ofText: (schema: z.ZodType) => JsonSchema;
  /** The component to which it refers, or itself. */
  resolved: (schema: JsonSchema) => JsonSchema;
  components: ReadonlyMap<string, JsonSchema>;
};

const componentsPath = '#/components/schemas/';

/** Converts zod schemas, and collects those that are shared. Throws if two different ones have the same `id`. */
export function jsonSchemas(): JsonSchemas {
  const components = new Map<string, JsonSchema>();
  const converted = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  function collect(id: string, schema: JsonSchema): void {
    const known = components.get(id);
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas of the API have the id ${id}: use another id for one of them`);
    }
    components.set(id, schema);
  }

  function of(schema: z.ZodType, side: Side, name?: string): JsonSchema {
    const made = converted[side].get(schema) ?? convert(schema, side);
    converted[side].set(schema, made);
    if (name === undefined || made.type !== 'object' || Object.keys(made.properties ?? {}).length === 0) return made;
    collect(name, made);
    return { $ref: `${componentsPath}${name}` };
  }

  function convert(schema: z.ZodType, side: Side): JsonSchema {
    // Wrapped, because a schema with an `id` becomes a reference only within another one.
    const { $defs, properties } = z.toJSONSchema(z.object({ wrapped: schema }), {
      io: side,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema, path }) => {
        simplify(jsonSchema);
        nullByType(jsonSchema);
        discriminate(zodSchema, jsonSchema);
        if (side === 'input' && path.length > 0) acceptNull(zodSchema, jsonSchema);
      },
    });
    for (const [id, definition] of Object.entries($defs ?? {})) collect(id, withReferences(definition));
    return withReferences(properties?.wrapped ?? {});
  }

  return {
    of,
    ofText(schema) {
      const parsed = of(schema, 'output');
      return parsedTypes.has(parsed.type) ? parsed : of(schema, 'input');
    },
    resolved: (schema) => components.get(String(schema.$ref).replace(componentsPath, '')) ?? schema,
    components,
  };
}

const parsedTypes: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean']);

/** Formats that say as much as their pattern, which is long. */
const namedFormats: ReadonlySet<unknown> = new Set(['date', 'date-time', 'uuid']);

/** Formats of zod alone, for what the pattern says. */
const ownFormats: ReadonlySet<unknown> = new Set(['starts_with', 'ends_with', 'includes', 'regex']);

function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (namedFormats.has(schema.format)) delete schema.pattern;
  if (ownFormats.has(schema.format)) delete schema.format;
  // Generated Java does not compile with constants of these types.
  if (Number.isInteger(schema.const)) schema.type = 'integer';
  if (typeof schema.const === 'boolean') delete schema.const;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/** Optional fields of a body may be null, which counts as absent. */
function acceptNull(schema: z.core.$ZodTypes, { properties = {} }: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodObject)) return;
  for (const [name, field] of Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)) {
    if (!isNullAbsent(field)) continue;
    const { description, ...described } = (properties[name] ?? {}) as z.core.JSONSchema.BaseSchema;
    const orNull: z.core.JSONSchema.BaseSchema = { anyOf: [described, { type: 'null' }] };
    nullByType(orNull);
    const says = [description, ...usualOf(orNull)].filter(Boolean).join(' ');
    properties[name] = { ...(says && { description: says }), ...orNull };
  }
}

/** The default of an enumeration that may be null, as a text: generated Go does not compile with it. */
function usualOf(schema: z.core.JSONSchema.BaseSchema): readonly string[] {
  if (schema.enum === undefined || schema.default === undefined) return [];
  const usual = `Without it \`${schema.default}\`.`;
  delete schema.default;
  return [usual];
}

/** A choice between a schema and null as a list of types, or as `oneOf` of a reference: generators make empty classes of `anyOf`. */
function nullByType(schema: z.core.JSONSchema.BaseSchema): void {
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

/** The property by which a choice of named objects is made, and the value of each. */
function discriminate(schema: z.core.$ZodTypes, described: z.core.JSONSchema.BaseSchema): void {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return;
  const { discriminator: propertyName, options } = schema.def;
  const mapping = (options as readonly z.ZodObject[]).flatMap((option) => {
    const values = [...((option.shape[propertyName] as z.ZodType)._zod.values ?? [])];
    return values.map((value) => [String(value), `#/$defs/${option.meta()?.id}`] as const);
  });
  described.discriminator = { propertyName, mapping: Object.fromEntries(mapping) };
}

/** Refers to the components of the description, in place of definitions in the schema itself. */
const withReferences = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${componentsPath}`));
