import createClient, { type Client, type Middleware } from 'openapi-fetch';
import type { paths } from '../api.js';
import { FlowHooksError } from './errors.js';
import type { Send } from './send.js';

type Call = (...args: readonly unknown[]) => unknown;
type Fields = Readonly<Record<string, unknown>>;

/** All routes, as openapi-fetch serves them, with headers of any characters. Answers that are no JSON are the error `unexpected_answer`. */
export function routesOf(baseUrl: string, fetch: Send): Client<paths> {
  const client = createClient<paths>({ baseUrl, fetch });
  client.use(refuseOtherContent);
  const { use, eject, ...calls } = client;
  const encoding = Object.entries(calls).map(([name, call]) => [
    name,
    async (...args: readonly unknown[]) => (call as Call)(...args.map(withEncodedHeaders)), // the types are those of `client`
  ]);
  return { ...Object.fromEntries(encoding), use, eject };
}

/** A page of a proxy, for example, of which openapi-fetch gives only the error of `JSON.parse`. */
const refuseOtherContent: Middleware = {
  async onResponse({ response, options: { parseAs } }) {
    if (!response.ok || parseAs !== 'json') return;
    try {
      const text = await response.clone().text();
      if (text !== '') JSON.parse(text);
    } catch (cause) {
      throw unexpected(response, cause);
    }
  },
};

/** The answer has a successful status, but not the content of the API. */
export const unexpected = ({ status, headers }: Response, cause?: unknown): FlowHooksError =>
  new FlowHooksError('the answer is not one of this service', {
    code: 'unexpected_answer',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    cause,
  });

/** The headers are in the last argument of a call, the options; those before are texts. */
function withEncodedHeaders(argument: unknown): unknown {
  if (!isFields(argument)) return argument;
  const { headers, params } = argument;
  return {
    ...argument,
    ...(isFields(headers) && { headers: encoded(headers) }),
    ...(isFields(params) && isFields(params.header) && { params: { ...params, header: encoded(params.header) } }),
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Headers);

const encoded = (headers: Fields): Fields =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? utf8(name, value) : value]),
  );

/** Headers carry bytes, which are characters up to U+00FF here: the service reads IDs of users and organisations as UTF-8. */
function utf8(name: string, value: string): string {
  if (/[\0\r\n]/.test(value))
    throw new FlowHooksError(`the header ${name} has a character that headers cannot have`, { code: 'invalid_option' });
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join('');
}
