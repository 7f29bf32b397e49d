import { FlowHooksError } from './errors.js';
import { retryAfterMs } from './retry-delay.js';

/** What openapi-fetch makes of an answer. */
type Answer<Data> = { readonly data?: Data; readonly error?: unknown; readonly response: Response };

/**
 * A successful answer, which is an object with these fields. Rejects with `FlowHooksError` for an error of the service, and for an answer
 * that is none of its own.
 */
export async function answerOf<Data>(request: Promise<Answer<Data>>, ...fields: readonly (keyof Data)[]) {
  const { data, error, response } = await request.catch(refuseOtherContent);
  if (!response.ok) throw errorOf(response, error);
  if (typeof data !== 'object' || data === null || fields.some((field) => !(field in data))) throw unexpected(response);
  return { data, response };
}

/** The content of a successful answer; otherwise as `answerOf`. */
export const dataOf = async <Data>(request: Promise<Answer<Data>>, ...fields: readonly (keyof Data)[]) =>
  (await answerOf(request, ...fields)).data;

/** A page of a list; otherwise as `answerOf`. */
export const pageOf = <Page extends { readonly items: unknown; readonly next: unknown }>(
  request: Promise<Answer<Page>>,
) => dataOf(request, 'items', 'next');

/** The answer has a successful status, but not the content of the API. */
export const unexpected = ({ status, headers }: Response): FlowHooksError =>
  new FlowHooksError('the answer is not one of this service', {
    code: 'unexpected_answer',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
  });

/** A page of a proxy, for example: openapi-fetch rejects with the error of `JSON.parse`. */
function refuseOtherContent(error: unknown): never {
  if (!(error instanceof SyntaxError)) throw error;
  throw new FlowHooksError('the answer is not one of this service', { code: 'unexpected_answer', cause: error });
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
