import { z } from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type DescribedError, meaningOf, statusOf } from '../errors.js';
import type { AnswerDescription, Route } from '../route-contract.js';
import { exampleOf } from './examples.js';
import { namedAfter } from './schema-shapes.js';

const errorBody = z
  .strictObject({
    error: z.string().describe('A stable code, for programs.'),
    message: z.string().describe('A text for people.'),
    requestId: z.string().describe('The ID of `X-Request-Id`, and in the log of the service.'),
  })
  .meta({ id: 'Error' });

/** Answers of errors by their names: routes with the same errors share one component. */
export type ErrorAnswers = Map<string, ZodOpenApiResponseObject>;

/** `responses` of OpenAPI: the answers of a route, its errors and those of every route. `development`: of that mode. */
export function answersOf(route: Route, shared: ErrorAnswers, development: boolean) {
  const answers = ownAnswers(route);
  for (const [status, codes] of errorsByStatus(route, development)) {
    const own = answers.get(status);
    const id = `${status}.${codes.join('.')}`;
    const errors = shared.get(id) ?? errorAnswer(status, codes);
    if (!own) shared.set(id, errors);
    answers.set(status, own ? either(own, errors) : Object.assign(errors, { id }));
  }
  const hasSuccess = [...answers.keys()].some((status) => status.startsWith('2'));
  return Object.fromEntries(hasSuccess ? answers : [...answers, noOther]);
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

function ownAnswers({ name, answer, otherAnswers = {} }: Route): Map<string, ZodOpenApiResponseObject> {
  const { status = 200, alternative, ...main } = answer;
  const schema = main.schema && namedAfter(`${name}Answer`, main.schema);
  return new Map([
    [`${status}`, described({ ...main, schema })],
    ...(alternative ? [[`${alternative.status}`, described({ ...alternative, schema })] as const] : []),
    ...Object.entries(otherAnswers).map(([each, other]) => [each, described(other)] as const),
  ]);
}

function described(answer: AnswerDescription): ZodOpenApiResponseObject {
  const { description = 'Done.', schema, example, type = 'application/json', alternatively, headers = {} } = answer;
  return {
    description,
    headers: {
      ...requestIdHeader,
      ...Object.fromEntries(Object.entries(headers).map(([name, says]) => [name, header(says)])),
    },
    ...(schema && {
      content: {
        [type]: { schema, example: isKnown(schema) ? exampleOf(schema, example) : example },
        ...(alternatively !== undefined && { [alternatively]: { schema: { type: 'string' } } }),
      },
    }),
    ...(answer.errorCodes && { 'x-error-codes': answer.errorCodes }),
  };
}

/** True of an object without other fields. */
const isKnown = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;

function errorsByStatus(route: Route, development: boolean): ReadonlyMap<string, readonly DescribedError[]> {
  const codes = new Set([
    ...route.errors,
    ...commonErrors(route),
    ...(development ? ['misdirected_request' as const] : []),
  ]);
  const byStatus = new Map<string, DescribedError[]>();
  for (const code of codes) {
    const usual = statusOf(code);
    const status = `${usual === 503 && route.commonErrors === 'failures as 500' ? 500 : usual}`;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}

function commonErrors({ commonErrors: which, body, credentials, ...route }: Route): readonly DescribedError[] {
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

function errorAnswer(status: string, codes: readonly DescribedError[]): ZodOpenApiResponseObject {
  const [first = 'internal_error'] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
    headers: { ...requestIdHeader, ...errorHeaders[status] },
    content: {
      'application/json': {
        schema: errorBody,
        example: { error: first, message: meaningOf(first), requestId: '5f0c6b1e-7a52-4c8e-9a55-0d1f2a3b4c5d' },
      },
    },
    'x-error-codes': codes,
  };
}

function either(one: ZodOpenApiResponseObject, other: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const content = { ...other.content, ...one.content };
  const [ofOne, ofOther] = [one, other].map((answer) => answer.content?.['application/json']);
  if (ofOne && ofOther)
    content['application/json'] = {
      ...ofOne,
      schema: merged(ofOne.schema as z.ZodObject, ofOther.schema as z.ZodObject),
    };
  return {
    description: `${one.description}\n\n${other.description}`,
    headers: { ...one.headers, ...other.headers },
    content,
    'x-error-codes': [...(one['x-error-codes'] ?? []), ...(other['x-error-codes'] ?? [])],
  };
}

/** One object with the properties of both: a choice of objects has no value by which generated code could choose. */
const merged = (one: z.ZodObject, other: z.ZodObject): z.ZodObject => {
  const ofOne = Object.keys(one.shape).filter((name) => !(name in other.shape));
  const ofOther = Object.keys(other.shape).filter((name) => !(name in one.shape));
  const optional = Object.fromEntries([...ofOne, ...ofOther].map((name) => [name, true as const]));
  return z.strictObject({ ...one.shape, ...other.shape }).partial(optional);
};

const reference = (name: string) => ({ $ref: `#/components/headers/${name}` });

const requestIdHeader = { 'X-Request-Id': reference('X-Request-Id') };

const errorHeaders: Readonly<Record<string, object>> = {
  401: { 'WWW-Authenticate': reference('WWW-Authenticate') },
  403: { 'WWW-Authenticate': reference('WWW-Authenticate') },
  429: {
    'Retry-After': reference('Retry-After'),
    RateLimit: reference('RateLimit'),
    'RateLimit-Policy': reference('RateLimit-Policy'),
  },
  503: { 'Retry-After': reference('Retry-After') },
};

const header = (description: string, type: 'string' | 'integer' = 'string') => ({ description, schema: { type } });

export const headerComponents = {
  'X-Request-Id': header('Names the request in the log and in errors.'),
  'WWW-Authenticate': header('The way to authenticate, and what is missing (RFC 6750 §3).'),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer'),
  RateLimit: header(
    'What remains of the exceeded limit, and the seconds until it is reset (draft-ietf-httpapi-ratelimit-headers-10).',
  ),
  'RateLimit-Policy': header(
    'The limit that is exceeded: its name, its number of requests, and its window in seconds.',
  ),
};
