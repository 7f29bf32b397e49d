import type { z } from 'zod';
import { InvalidRequest } from './domain-error.js';

/** How whoever sent it knows what is at a path; the message of what is wrong with it follows. */
export type NameOfPath = (path: readonly PropertyKey[]) => string;

const dotted: NameOfPath = (path) => `${path.join('.')}:`;

/** What is said where a schema has no words of its own; undefined: what the validator says will do. */
const inWords: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'unrecognized_keys') return `not known here: ${issue.keys.join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'object' && (issue.path ?? []).length === 0) return 'send a JSON object';
  return issue.input === undefined ? 'is missing' : undefined;
};

/** The input as the schema gives it. Throws `InvalidRequest`, which names all that is wrong and where. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  nameOf: NameOfPath = dotted,
): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const { error = parsed.error } = schema.safeParse(input, { error: inWords }); // what is right does not pay for the words
  const wrong = error.issues.map(({ path, message }) => (path.length > 0 ? `${nameOf(path)} ${message}` : message));
  throw new InvalidRequest(wrong.join('; '));
}
