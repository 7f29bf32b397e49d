import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { InvalidRequest } from '../../kernel/domain-error.js';

/** Limits of a JSON Schema, so that checking data costs little. `parts`: with every reference written out. */
const limits = { bytes: 32_768, depth: 50, parts: 10_000, uniqueItems: 1_000 } as const;

/** Describes the first error of data, with its place: `data.total: must be number`; undefined: none. */
export type CheckData = (data: unknown) => string | undefined;

/** Matches in linear time, unlike the expressions of JavaScript, for which a text can be made that takes years. */
const linearTime = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTime' },
);

/** `format` is an annotation, as by default in draft 2020-12. */
const options = {
  strict: true,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
  validateFormats: false,
  allErrors: false,
  ownProperties: true,
  logger: false,
  code: { regExp: linearTime },
} as const;

/** Checks schemas themselves; it compiles none of them, so none affects another. */
const metaSchema = new Ajv2020(options);

/**
 * Compiles a JSON Schema (draft 2020-12) that refers only to itself, and not recursively. Patterns are those of RE2, without look-around
 * and back-references. Throws `InvalidRequest`, which names the place.
 */
export function compileSchema(schema: unknown): CheckData {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    throw new InvalidRequest('schema: must be an object');
  }
  if (typeof schema === 'object') requireBounded(schema);
  const check = compiled(schema);
  return (data) => {
    if (check(data)) return undefined;
    const [error] = check.errors ?? [];
    return error ? `data${placeOf(error.instancePath)}: ${reasonOf(error)}` : 'data: is not valid';
  };
}

function compiled(schema: object | boolean) {
  try {
    if (metaSchema.validateSchema(schema) === true)
      return new Ajv2020({ ...options, validateSchema: false }).compile(schema);
  } catch (error) {
    throw new InvalidRequest(`schema: ${(error as Error).message}`); // ajv and the engine of patterns throw errors alone
  }
  const [error] = metaSchema.errors ?? [];
  throw new InvalidRequest(`schema${placeOf(error?.instancePath ?? '')}: ${error ? reasonOf(error) : 'is not valid'}`);
}

/** Throws `InvalidRequest` where checking data with the schema could cost more than its size times the limits. */
function requireBounded(schema: object): void {
  let parts = 0;

  function visit(part: unknown, place: string, depth: number): void {
    if (typeof part !== 'object' || part === null) return;
    parts += 1;
    if (parts > limits.parts || depth > limits.depth) {
      throw new InvalidRequest(
        `schema${place}: refers to itself, is nested more than ${limits.depth} levels deep, or has more than ${limits.parts} parts`,
      );
    }
    for (const [name, value] of Object.entries(part)) visit(value, `${place}.${name}`, depth + 1);
    const { $ref, $id, $dynamicRef, $async, uniqueItems, maxItems } = part as Readonly<Record<string, unknown>>;
    if (typeof $dynamicRef === 'string') throw new InvalidRequest(`schema${place}.$dynamicRef: is not supported`);
    // References below it would be to its own parts, and not to those that are visited here.
    if (typeof $id === 'string' && place !== '') throw new InvalidRequest(`schema${place}.$id: must stand at the top`);
    // To ajv the schema is asynchronous then: its check returns a promise, which accepts everything.
    if ($async === true) throw new InvalidRequest(`schema${place}.$async: is not supported`);
    if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= limits.uniqueItems)) {
      throw new InvalidRequest(
        `schema${place}.uniqueItems: needs a maxItems of at most ${limits.uniqueItems} beside it`,
      );
    }
    if (typeof $ref === 'string') visit(referredTo(schema, $ref, `${place}.$ref`), `${place}.$ref`, depth + 1);
  }

  visit(schema, '', 0);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > limits.bytes) throw new InvalidRequest(`schema: must have at most ${limits.bytes} bytes as JSON`);
}

/** The part of the schema at a JSON pointer (RFC 6901) in a URI fragment. */
function referredTo(schema: object, reference: string, place: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw new InvalidRequest(`schema${place}: must refer to a part of this schema, such as #/$defs/money`);
  }
  let part: unknown = schema;
  for (const segment of reference.split('/').slice(1)) {
    const name = decoded(segment, place).replaceAll('~1', '/').replaceAll('~0', '~');
    part = typeof part === 'object' && part !== null && Object.hasOwn(part, name) ? Reflect.get(part, name) : undefined;
  }
  if (part === undefined) throw new InvalidRequest(`schema${place}: refers to nothing`);
  return part;
}

function decoded(segment: string, place: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new InvalidRequest(`schema${place}: is not a URI`);
  }
}

const maxReasonLength = 300;

function reasonOf({ message = 'is not valid', keyword, params }: ErrorObject): string {
  const unexpected = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
  const text = unexpected ? `${message}: ${Object.values(params).join(', ')}` : message;
  return text.length > maxReasonLength ? `${text.slice(0, maxReasonLength)}…` : text;
}

/** `/items/0/price` as `.items.0.price`, shortened. */
const placeOf = (pointer: string): string =>
  pointer.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~').slice(0, maxReasonLength);
