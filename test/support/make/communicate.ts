import { evaluate, type Variables } from './iml.js';

type Json = Readonly<Record<string, unknown>>;

/** A request in an app's JSON: the directives that the app uses, https://developers.make.com/custom-apps-documentation/component-blocks/api. */
export type Communication = {
  url?: string;
  baseUrl?: string;
  method?: string;
  type?: 'json' | 'urlencoded' | 'text';
  headers?: Json;
  qs?: Json;
  body?: unknown;
  condition?: string;
  temp?: Json;
  response?: ResponseDirectives;
  log?: { sanitize: readonly string[] };
};

type ResponseDirectives = {
  data?: Json;
  temp?: Json;
  metadata?: Json;
  valid?: unknown;
  limit?: unknown;
  iterate?: string | { container: string; condition: string };
  output?: unknown;
  error?: ErrorDirective & Readonly<Record<string, ErrorDirective | string>>;
};

type ErrorDirective = { message: string; type?: string };

/** Log of Make of a request and its answer, without what `log.sanitize` names. */
export type LogEntry = { request: Json; response: Json };

/** An error of a module, connection or webhook, as a user of Make sees it. */
export class MakeError extends Error {
  override readonly name = 'MakeError';

  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

/** Outcome of a request: its data, and its output, which is a list if the answer is iterated. */
export type Communicated = { data: Json; metadata: Json; output: unknown };

/** Performs a request with these variables, as Make does, and adds it to the log. Throws `MakeError` for statuses from 400. */
export async function communicate(
  { response = {}, log, baseUrl = '', ...communication }: Communication,
  variables: Variables,
  entries: LogEntry[],
): Promise<Communicated> {
  const {
    url = '',
    method = 'GET',
    type = 'json',
    headers = {},
    qs = {},
    body,
  } = evaluate(communication, variables) as Communication;
  const address = new URL(url.startsWith('/') ? `${String(evaluate(baseUrl, variables))}${url}` : url);
  for (const [name, value] of filled(qs)) address.searchParams.set(name, value);
  const sent = encoded(type, body);
  const request = { url: address.href, method, headers: { ...sent?.headers, ...headers }, body };
  const answer = await fetch(address, {
    method,
    headers: Object.fromEntries(filled(request.headers)),
    ...(sent && method !== 'GET' && { body: sent.body }),
  });
  const answered = {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: bodyOf(await answer.text()),
  };
  entries.push(sanitized({ request, response: answered }, log?.sanitize ?? []));
  const seen = { ...variables, ...answered };
  if (answer.status >= 400) throw errorOf(answer.status, response.error, seen);
  refuseInvalid(response, seen);
  return {
    data: (evaluate(response.data, seen) ?? {}) as Json,
    metadata: (evaluate(response.metadata, seen) ?? {}) as Json,
    output: outputOf(response, seen),
  };
}

function outputOf({ iterate, limit, output }: ResponseDirectives, seen: Variables): unknown {
  if (iterate === undefined) return evaluate(output, seen);
  const { container, condition } = typeof iterate === 'string' ? { container: iterate, condition: undefined } : iterate;
  const items = (evaluate(container, seen) as readonly unknown[])
    .map((item) => ({ ...seen, item }))
    .filter((each) => condition === undefined || evaluate(condition, each))
    .map((each) => evaluate(output, each));
  return items.slice(0, evaluate(limit, seen) as number | undefined);
}

/** Throws the error of `response.error` if `response.valid` is false, undefined, null or empty. */
export function refuseInvalid({ valid = true, error }: ResponseDirectives, seen: Variables): void {
  if (!evaluate(valid, seen)) throw errorOf(200, error, seen);
}

/** https://developers.make.com/custom-apps-documentation/app-components/base/error-handling, with the types that Make gives by default. */
function errorOf(status: number, directive: ResponseDirectives['error'], seen: Variables): MakeError {
  const specific = directive?.[String(status)];
  const { type, message } = typeof specific === 'object' ? specific : (directive ?? { message: undefined });
  const usual = status === 429 ? 'RateLimitError' : status >= 500 ? 'ConnectionError' : 'RuntimeError';
  return new MakeError(String(evaluate(type, seen) ?? usual), String(evaluate(message, seen)));
}

const filled = (fields: Json): readonly [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );

function encoded(type: Communication['type'], body: unknown): { headers: Json; body: string } | undefined {
  if (body === undefined) return undefined;
  if (type === 'text') return { headers: {}, body: String(body) };
  if (type === 'json') return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const form = new URLSearchParams(filled(body as Json).map(([name, value]) => [name, value]));
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form.toString() };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sanitized(entry: LogEntry, paths: readonly string[]): LogEntry {
  const copy = structuredClone(entry) as LogEntry;
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((value, key) => (value as Json | undefined)?.[key], copy);
    if (parent !== null && typeof parent === 'object' && last in parent)
      (parent as Record<string, unknown>)[last] = '*****';
  }
  return copy;
}
