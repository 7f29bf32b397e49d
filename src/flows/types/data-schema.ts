import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { InvalidRequest } from '../../kernel/domain-error.js';

/** Bounds the cost of checks. `parts`: with references expanded. */
const limits = { bytes: 32_768, depth: 50, parts: 10_000, uniqueItems: 1_000 } as const;

/** Errors with their places: `data.total: must be number; data: must have required property 'id'`; undefined: valid. */
export type CheckData = (data: unknown) => string | undefined;

/** Linear time; JavaScript's own expressions can take exponential time. */
const linearTime = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTime' },
);

/** Annotation only, as by default in draft 2020-12. */
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

/** Checks schemas without compiling them, so that none affects another. */
const metaSchema = new Ajv2020(options);

/**
 * Compiles a draft 2020-12 schema with local, not recursive references and RE2 patterns (no look-around, no
 * back-references). Throws `InvalidRequest`, which names the place.
 */
export function compileSchema(schema: unknown): CheckData {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    throw new InvalidRequest('schema: must be an object');
  }
  if (typeof schema === 'object') requireBounded(schema);
  const check = compiled(schema);
  let checkAll: ReturnType<typeof compiled> | undefined;
  return (data) => {
    if (check(data)) return undefined;
    if (JSON.stringify(data).length > maxLengthForAllErrors) return textOf(check.errors ?? []);
    checkAll ??= compiled(schema, { allErrors: true });
    return checkAll(data) ? textOf(check.errors ?? []) : textOf(checkAll.errors ?? []);
  };
}

/** The number of errors grows with the data: of larger data, only the first one is found. */
const maxLengthForAllErrors = 16_384;
const maxErrors = 10;

function textOf(errors: readonly ErrorObject[]): string {
  const texts = [...new Set(errors.map((error) => `data${placeOf(error.instancePath)}: ${reasonOf(error)}`))];
  const others = texts.length - maxErrors;
  const shown = others > 0 ? [...texts.slice(0, maxErrors), `and ${others} more`] : texts;
  return shown.join('; ') || 'data: is not valid';
}

function compiled(schema: object | boolean, changes: { allErrors?: true } = {}) {
  try {
    if (metaSchema.validateSchema(schema) === true)
      return new Ajv2020({ ...options, ...changes, validateSchema: false }).compile(schema);
  } catch (error) {
    throw new InvalidRequest(`schema: ${(error as Error).message}`); // ajv and RE2 throw only errors
  }
  const [error] = metaSchema.errors ?? [];
  throw new InvalidRequest(`schema${placeOf(error?.instancePath ?? '')}: ${error ? reasonOf(error) : 'is not valid'}`);
}

/** Throws `InvalidRequest` where a check could cost more than the data's size times the limits. */
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
    // References would resolve against it, not against the root.
    if (typeof $id === 'string' && place !== '') throw new InvalidRequest(`schema${place}.$id: must stand at the top`);
    // ajv's check would return a promise, which is truthy.
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

/** RFC 6901 pointer in a URI fragment. */
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

/** `/items/0/price` becomes `.items.0.price`. */
const placeOf = (pointer: string): string =>
  pointer.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~').slice(0, maxReasonLength);
