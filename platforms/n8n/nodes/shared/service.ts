import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  INode,
  JsonObject,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

export type ServiceContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export type ServiceRequest = {
  readonly method: IHttpRequestMethods;
  /** Path below the base URL; `listeners/…`: below the prefix of the listener routes. */
  readonly path: string;
  readonly body?: IDataObject;
  readonly qs?: IDataObject;
};

type Credentials = {
  readonly baseUrl: string;
  readonly hooksPrefix?: string;
  /** Organisation of an API key. */
  readonly orgId?: string;
  /** The answer of `/access`; n8n keeps its fields when it refreshes the tokens. */
  readonly oauthTokenData?: { readonly org_id?: string; readonly user_id?: string };
};

const timeoutMs = 60_000;

/** The organisation of the credentials. Throws `NodeOperationError` if they have none. */
export async function organisationOf(context: ServiceContext): Promise<string> {
  const { orgId, oauthTokenData } = await credentialsOf(context);
  const organisation = orgId || oauthTokenData?.org_id;
  if (organisation) return organisation;
  throw new NodeOperationError(
    context.getNode(),
    'The credential names no organisation: enter its ID, or connect the account again',
  );
}

/** The answer of the service, parsed. Throws `NodeApiError` with its message. */
export async function requestService(
  context: ServiceContext,
  { method, path, body, qs }: ServiceRequest,
): Promise<unknown> {
  const { baseUrl, hooksPrefix, oauthTokenData } = await credentialsOf(context);
  const userId = oauthTokenData?.user_id;
  const options = {
    method,
    baseURL: baseUrl.replace(/\/+$/, ''),
    url: path.replace(/^listeners\//, `${hooksPrefix || '/api/hooks'}/`),
    headers: { orgid: headerText(await organisationOf(context)), ...(userId && { userid: headerText(userId) }) },
    ...(body && { body }),
    ...(qs && { qs }),
    json: true,
    timeout: timeoutMs,
  };
  try {
    return await context.helpers.httpRequestWithAuthentication.call(context, credentialTypeOf(context), options);
  } catch (error) {
    throw refusedOrFailed(context.getNode(), error);
  }
}

/** True if the service refused a request with this code. */
export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof NodeApiError && error.context.code === code;

/** All items of a list of the service, or the first `limit` of them. */
export async function listFrom(
  context: ServiceContext,
  request: ServiceRequest,
  limit: number | undefined,
): Promise<IDataObject[]> {
  const items: IDataObject[] = [];
  let after: string | null = null;
  do {
    const page = {
      limit: Math.min(limit === undefined ? maxPage : limit - items.length, maxPage),
      ...(after !== null && { after }),
    };
    const place = request.body ? { body: { ...request.body, ...page } } : { qs: { ...request.qs, ...page } };
    const answer = (await requestService(context, { ...request, ...place })) as List;
    items.push(...answer.items);
    after = answer.next;
  } while (after !== null && (limit === undefined || items.length < limit));
  return items;
}

/** The largest page of the service. */
const maxPage = 1_000;

type List = { readonly items: IDataObject[]; readonly next: string | null };

const credentialTypeOf = (context: ServiceContext): string => {
  const read = context.getNodeParameter as (name: string, indexOrFallback: number) => unknown; // each kind of context has its own type
  return read.call(context, 'authentication', 0) === 'oAuth2' ? 'flowHooksOAuth2Api' : 'flowHooksApi';
};

const credentialsOf = (context: ServiceContext): Promise<Credentials> =>
  context.getCredentials<Credentials>(credentialTypeOf(context));

/** The service reads headers as UTF-8; HTTP libraries write each character as one byte. */
const headerText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

type ServiceError = { readonly error?: unknown; readonly message?: unknown; readonly requestId?: unknown };

/** An answer of the service becomes an error with its message; other failures stay as n8n describes them. */
function refusedOrFailed(node: INode, error: unknown): NodeApiError {
  const failure = new NodeApiError(node, error as JsonObject); // the same if it is one already
  const { cause } = failure as {
    readonly cause?: { readonly response?: { readonly status?: number; readonly data?: ServiceError } };
  };
  const {
    error: code,
    message,
    requestId,
  } = (failure.context.data as ServiceError | undefined) ?? cause?.response?.data ?? {};
  if (typeof message !== 'string') return failure;
  const answer = { error: `${code}`, message, requestId: `${requestId}` };
  const refusal = new NodeApiError(node, answer, {
    message,
    description: `${answer.error}, request ${answer.requestId}`,
    httpCode: failure.httpCode ?? `${cause?.response?.status ?? ''}`,
  });
  refusal.context.code = answer.error;
  return refusal;
}
