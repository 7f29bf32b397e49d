import type { z } from 'zod';
import { InvalidRequest } from '../domain-error.js';
import { holdsRawNumber, withDoubles } from './exact-json.js';
import { issueInWords } from './issue-words.js';
import { sentFields } from './sent-fields.js';

export type NameOfPath = (path: readonly PropertyKey[]) => string;

const dotted: NameOfPath = (path) => `${path.join('.')}:`;

/** Bounds the message: each part of a large input may be wrong. */
const maxErrors = 20;

/**
 * Reads null as `sentFields` says. Raw numbers remain where the schema takes any JSON. Throws `InvalidRequest`, which names at
 * most `maxErrors` errors and their paths, and the right names of fields whose names differ only in case.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  nameOf: NameOfPath = dotted,
): z.output<Schema> {
  const { sent, misnamed } = sentFields(schema, input);
  if (misnamed.length > 0) throw invalid(misnamed.map(({ path, name }) => `${nameOf(path)} the name is ${name}`));
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  const computable = withDoublesAt(sent, parsed.error.issues);
  if (computable !== sent) return parseInput(schema, computable, nameOf);
  const { error = parsed.error } = schema.safeParse(sent, { error: issueInWords }); // valid input does not pay for the messages
  throw invalid(error.issues.map(({ path, message }) => (path.length > 0 ? `${nameOf(path)} ${message}` : message)));
}

/** Doubles in place of raw numbers in the fields that are wrong, such as one that takes a number: 5.0. */
function withDoublesAt(sent: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent) || JSON.isRawJSON(sent))
    return withDoubles(sent);
  const wrong = new Set(issues.map(({ path }) => path[0]));
  const raw = Object.entries(sent).filter(([name, value]) => wrong.has(name) && holdsRawNumber(value));
  return raw.length === 0
    ? sent
    : { ...sent, ...Object.fromEntries(raw.map(([name, value]) => [name, withDoubles(value)])) };
}

function invalid(errors: readonly string[]): InvalidRequest {
  const others = errors.length - maxErrors;
  return new InvalidRequest(`${errors.slice(0, maxErrors).join('; ')}${others > 0 ? `; and ${others} more` : ''}`);
}

/** int64: no store accepts a larger number, not even in a query. */
export const maxPosition = 2n ** 63n - 1n;

/** Undefined for any other text. */
export function parsePosition(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const position = BigInt(text);
  return position > maxPosition ? undefined : position;
}

/**
 * Throws `InvalidRequest` if a range ends before it begins. Both limits are milliseconds, or both are days
 * (`2026-01-31`).
 */
export function requireTimeRange<Limit extends number | string>({ from, to }: { from?: Limit; to?: Limit }): void {
  if (from !== undefined && to !== undefined && from > to) throw new InvalidRequest('from must not be later than to');
}
