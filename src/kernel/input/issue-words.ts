import type { z } from 'zod';

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 date and time',
  date: 'a date such as 2026-01-31',
  uuid: 'a UUID',
  url: 'a URL',
};

/** The reason for which a value is not valid, as it follows its name. Undefined: the message of the schema. */
export const issueInWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown: ${issue.keys.join(', ')}`;
    case 'invalid_type':
      if ((issue.path ?? []).length === 0 && issue.expected === 'object') return objectExpected(issue.input);
      return unlessMissing(issue, `must be ${types[issue.expected] ?? issue.expected}`);
    case 'invalid_value':
      return unlessMissing(issue, `must be ${listed(issue.values.map(String))}`);
    case 'too_small':
      return `must ${bound(issue.origin, issue.minimum, issue.inclusive === false ? 'more than' : 'at least')}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.maximum, issue.inclusive === false ? 'less than' : 'at most')}`;
    case 'invalid_format':
      return unlessMissing(
        issue,
        formats[issue.format] ? `must be ${formats[issue.format]}` : 'has not the right form',
      );
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'custom':
      return undefined;
    default:
      return unlessMissing(issue, 'is not valid');
  }
};

const objectExpected = (input: unknown): string =>
  typeof input === 'string'
    ? 'send a JSON object: this is a JSON string, probably of an object that was serialised twice'
    : 'send a JSON object';

/** A query has an array where a parameter is repeated. */
function unlessMissing({ input, expected }: { input?: unknown; expected?: string }, reason: string): string {
  if (input === undefined) return 'is missing';
  const takesParts = ['array', 'object', 'record'].includes(expected ?? '');
  return Array.isArray(input) && !takesParts ? `${reason}, and sent once` : reason;
}

const listed = (values: readonly string[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

function bound(origin: string, limit: number | bigint, relation: string): string {
  const many = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `have ${relation} ${limit} character${many}`;
  if (origin === 'array' || origin === 'set') return `have ${relation} ${limit} item${many}`;
  return `be ${relation} ${limit}`;
}
