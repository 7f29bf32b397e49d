import { z } from 'zod';
import { type DescribedError, meaningOf, statusOf } from '../errors.js';
import type { JsonSchema, JsonSchemas } from './json-schemas.js';
import type { AnswerDescription, RouteDescription } from './route-description.js';

const errorBody = z
  .strictObject({
    error: z.string().describe('A stable code, for programs.'),
    message: z.string().describe('For people.'),
    requestId: z.string().describe('As in `X-Request-Id`, and in the log of the service.'),
  })
  .meta({ id: 'Error' });

export type Answer = {
  description: string;
  headers: JsonSchema;
  content?: Readonly<Record<string, { schema: JsonSchema; example?: unknown }>>;
  /** Codes of the errors that have this status. */
  'x-error-codes'?: readonly string[];
};

/** Beginning of the names of a route's types. */
export const typeNameOf = ({ name }: RouteDescription): string => name.charAt(0).toUpperCase() + name.slice(1);

export type AnswerComponents = {
  schemas: JsonSchemas;
  responses: Map<string, Answer>;
};

/** `responses` of OpenAPI: the answers of a route, its errors and those of every route. `development`: of that mode. */
export function answersOf(
  route: RouteDescription,
  { schemas, responses }: AnswerComponents,
  development: boolean,
): Readonly<Record<string, Answer | { $ref: string }>> {
  const main = Object.keys(route.answers).find((status) => Number(status) < 300);
  const own = new Map(
    Object.entries(route.answers).map(([status, answer]) => {
      const name = status === main ? `${typeNameOf(route)}Answer` : undefined;
      return [status, described(answer, schemas, name)];
    }),
  );
  const byStatus = new Map<string, Answer | { $ref: string }>(own);
  for (const [status, codes] of errorsByStatus(route, development)) {
    const ofErrors = errorAnswer(status, codes, schemas);
    const ofRoute = own.get(status);
    if (ofRoute) {
      byStatus.set(status, either(ofRoute, ofErrors, schemas));
      continue;
    }
    const name = `${status}.${codes.join('.')}`;
    responses.set(name, ofErrors);
    byStatus.set(status, { $ref: `#/components/responses/${name}` });
  }
  const sorted = [...byStatus].sort(([left], [right]) => Number(left) - Number(right));
  return Object.fromEntries(sorted.some(([status]) => status.startsWith('2')) ? sorted : [...sorted, noOther]);
}

/** Answer of routes that only redirect: linters require an answer of success, or this one. */
const noOther = [
  'default',
  {
    description: 'Never from the service: another status is that of a proxy before it.',
    headers: {},
    content: { 'text/html': { schema: { type: 'string' } } },
  },
] as const;

/** `name`: of its schema, if that has none. */
function described(answer: AnswerDescription, schemas: JsonSchemas, name: string | undefined): Answer {
  const { description, schema, example, type = 'application/json', alternatively, headers = {}, errorCodes } = answer;
  return {
    description,
    headers: {
      ...requestIdHeader,
      ...Object.fromEntries(
        Object.entries(headers).map(([name, says]) => [name, { description: says, schema: { type: 'string' } }]),
      ),
    },
    ...(schema && {
      content: {
        [type]: { schema: schemas.of(schema, 'output', name), example },
        ...(alternatively !== undefined && { [alternatively]: { schema: { type: 'string' } } }),
      },
    }),
    ...(errorCodes && { 'x-error-codes': errorCodes }),
  };
}

function errorsByStatus(route: RouteDescription, development: boolean): ReadonlyMap<string, readonly DescribedError[]> {
  const codes = new Set([
    ...route.errors,
    ...commonErrors(route),
    ...(development ? ['misdirected_request' as const] : []),
  ]);
  const byStatus = new Map<string, DescribedError[]>();
  for (const code of codes) {
    const usual = statusOf(code);
    const status = String(usual === 503 && route.commonErrors === 'failures as 500' ? 500 : usual);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function commonErrors({
  commonErrors: which,
  body,
  credentials,
  ...route
}: RouteDescription): readonly DescribedError[] {
  if (which === 'none') return [];
  const needed = 'anonymous' in credentials ? [] : Object.keys(credentials);
  const scoped = needed.some((scheme) => scheme === 'accessToken' || scheme === 'apiKey');
  return [
    'too_many_requests',
    'store_unavailable',
    'internal_error',
    ...(body || route.query || route.params || route.headers ? (['invalid_request'] as const) : []),
    ...(body ? (['payload_too_large', 'request_timeout', 'unsupported_media_type'] as const) : []),
    ...(needed.length > 0 ? (['unauthenticated', 'forbidden'] as const) : []),
    ...(scoped ? (['insufficient_scope'] as const) : []),
  ];
}

function errorAnswer(status: string, codes: readonly DescribedError[], schemas: JsonSchemas): Answer {
  const [first = 'internal_error'] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
    headers: { ...requestIdHeader, ...errorHeaders[status] },
    content: {
      'application/json': {
        schema: schemas.of(errorBody, 'output'),
        example: { error: first, message: meaningOf(first), requestId: '5f0c6b1e-7a52-4c8e-9a55-0d1f2a3b4c5d' },
      },
    },
    'x-error-codes': codes,
  };
}

function either(one: Answer, other: Answer, schemas: JsonSchemas): Answer {
  const content: Record<string, { schema: JsonSchema; example?: unknown }> = { ...one.content };
  for (const [type, of] of Object.entries(other.content ?? {})) {
    const before = content[type];
    content[type] = before
      ? { ...before, schema: merged(schemas.resolved(before.schema), schemas.resolved(of.schema)) }
      : of;
  }
  return {
    description: `${one.description}\n\n${other.description}`,
    headers: { ...one.headers, ...other.headers },
    content,
    'x-error-codes': [...(one['x-error-codes'] ?? []), ...(other['x-error-codes'] ?? [])],
  };
}

/** One object with the properties of both: a choice of objects has no value by which generated code could choose. */
const merged = (one: JsonSchema, other: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { ...(one.properties as object), ...(other.properties as object) },
  required: (one.required as readonly string[]).filter((name) => (other.required as readonly string[]).includes(name)),
});

const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

const requestIdHeader = { 'X-Request-Id': reference('X-Request-Id') };

const errorHeaders: Readonly<Record<string, JsonSchema>> = {
  401: { 'WWW-Authenticate': reference('WWW-Authenticate') },
  403: { 'WWW-Authenticate': reference('WWW-Authenticate') },
  429: {
    'Retry-After': reference('Retry-After'),
    RateLimit: reference('RateLimit'),
    'RateLimit-Policy': reference('RateLimit-Policy'),
  },
  503: { 'Retry-After': reference('Retry-After') },
};

const header = (description: string, type = 'string') => ({ description, schema: { type } });

export const headerComponents = {
  'X-Request-Id': header('Names the request in the log and in errors.'),
  'WWW-Authenticate': header('How to authenticate, and what is missing (RFC 6750 §3).'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
  RateLimit: header(
    'What is left of the limit that is exceeded, and when it is reset (draft-ietf-httpapi-ratelimit-headers-10).',
  ),
  'RateLimit-Policy': header(
    'The limit that is exceeded: its name, its number of requests, and its window in seconds.',
  ),
};
