import { FlowHooksError } from './errors.js';
import { retryAfterMs } from './retry-delay.js';
import { unexpected } from './routes.js';

/** Answer as openapi-fetch returns it. */
type Answer<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response };

/**
 * A successful answer, which is an object with these fields. Rejects with `FlowHooksError` for an error of the service, and for an answer
 * that is none of its own.
 */
export async function answerOf<Data>(request: Promise<Answer<Data>>, ...fields: readonly (keyof Data)[]) {
  const { data, error, response } = await request;
  if (!response.ok) throw errorOf(response, error);
  if (typeof data !== 'object' || data === null || fields.some((field) => !(field in data))) throw unexpected(response);
  return { data, response };
}

/** The content of a successful answer; otherwise as `answerOf`. */
export const dataOf = async <Data>(request: Promise<Answer<Data>>, ...fields: readonly (keyof Data)[]) =>
  (await answerOf(request, ...fields)).data;

/** A page of a list; otherwise as `answerOf`. */
export async function pageOf<Page extends { readonly items: readonly unknown[]; readonly next: unknown }>(
  request: Promise<Answer<Page>>,
  ...fields: readonly (keyof Page)[]
): Promise<Page> {
  const { data, response } = await answerOf(request, 'items', 'next', ...fields);
  if (!Array.isArray(data.items)) throw unexpected(response);
  return data;
}

/** `body`: the error of the service, or whatever a proxy has answered. */
function errorOf({ status, statusText, headers }: Response, body: unknown): FlowHooksError {
  const { error, message, error_description, requestId }: Record<string, unknown> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const text = message ?? error_description;
  const isOfService = typeof error === 'string' && typeof text === 'string';
  return new FlowHooksError(isOfService ? text : `${status} ${statusText}`.trim(), {
    code: isOfService ? error : 'http_error',
    status,
    requestId: typeof requestId === 'string' ? requestId : (headers.get('x-request-id') ?? undefined),
    retryAfterMs: retryAfterMs(headers),
  });
}
