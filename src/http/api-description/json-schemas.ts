import { z } from 'zod';
import { isNullAbsent } from '../../kernel/input/sent-fields.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Side = 'input' | 'output';

export type JsonSchemas = {
  /** JSON Schema (2020-12) of a schema; schemas with an `id` (`.meta({ id })`) become references. */
  of: (schema: z.ZodType, side: Side) => JsonSchema;
  ofText: (schema: z.ZodType) => JsonSchema;
  components: ReadonlyMap<string, JsonSchema>;
};

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

  function of(schema: z.ZodType, side: Side): JsonSchema {
    const known = converted[side].get(schema);
    if (known) return known;
    const made = convert(schema, side);
    converted[side].set(schema, made);
    return made;
  }

  function convert(schema: z.ZodType, side: Side): JsonSchema {
    // Wrapped, because a schema with an `id` becomes a reference only within another one.
    const { $defs, properties } = z.toJSONSchema(z.object({ wrapped: schema }), {
      io: side,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema, path }) => {
        simplify(jsonSchema);
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
    const { description, ...described } = (properties[name] ?? {}) as z.core.JSONSchema.BaseSchema;
    if (isNullAbsent(field)) {
      properties[name] = { ...(description !== undefined && { description }), anyOf: [described, { type: 'null' }] };
    }
  }
}

/** Refers to the components of the description, in place of definitions in the schema itself. */
const withReferences = (schema: unknown): JsonSchema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
