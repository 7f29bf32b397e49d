import type { AnyAdminRoute } from '../../admin/api/routing/admin-route.js';
import type { RouteAnswer, RouteRequest } from '../../http/route-contract.js';
import { DomainError, oneLine } from '../../kernel/domain-error.js';
import { parseJson } from '../../kernel/input/exact-json.js';
import { version } from '../../kernel/version.js';
import type { Remote } from './target.js';

/** The service refused the request; `code` is that of its answer. */
class ServiceRefused extends DomainError {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The service cannot be reached, or something else answers at its address. */
class ServiceUnreachable extends DomainError {
  readonly code = 'service_unreachable';
}

export type ApiCall = <Route extends AnyAdminRoute>(
  route: Route,
  request: RouteRequest<Route>,
  /** Ends the call of a service. */
  signal?: AbortSignal,
) => Promise<RouteAnswer<Route>>;

type Input = Readonly<Record<'params' | 'query' | 'body', Readonly<Record<string, unknown>> | undefined>>;

/** Calls the admin API of a service over HTTP. Throws `ServiceRefused` and `ServiceUnreachable`. */
export const remoteCall =
  (remote: Remote): ApiCall =>
  async (route, request, signal) => {
    const { params = {}, query = {}, body } = request as Partial<Input>;
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
    );
    const url = `${path}${search.size > 0 ? `?${search}` : ''}`;
    const response = await send(remote, url, {
      method: route.method.toUpperCase(),
      signal,
      ...(route.method === 'post' && {
        body: JSON.stringify(body ?? {}),
        headers: { 'content-type': 'application/json' },
      }),
    });
    return (await jsonOf(remote, response)) as never; // as the contract says
  };

/** Facts of the key: see `GET /whoami`. */
export const whoAmI = async (remote: Remote) =>
  (await jsonOf(remote, await send(remote, '/whoami', {}))) as {
    actor: string;
    role: string | null;
    scopes: readonly string[];
  }; // as the route is described

/** The page on which operators who sign in with a provider make a token: undefined where the service has no such page. */
export async function tokenPageOf(url: string): Promise<string | undefined> {
  const { status } = await ask(url, tokenPage, { method: 'HEAD' });
  return status === 303 ? `${url}${tokenPage}` : undefined;
}

const tokenPage = '/console/command-line';

/** The answer to a request with the key, if it is a success. `path`: below the service's URL. */
export async function send(remote: Remote, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${remote.key}` };
  const response = await ask(remote.url, path, { ...init, headers });
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400)
    throw new ServiceUnreachable(`${remote.url} redirects to ${response.headers.get('location')}: name that address`);
  const refused = (await jsonOf(remote, response)) as { error?: unknown; message?: unknown };
  if (typeof refused.error !== 'string') throw notTheService(remote, response);
  const message = oneLine(String(refused.message ?? refused.error));
  throw new ServiceRefused(refused.error, response.status === 401 ? notAccepted(remote, message) : message);
}

async function jsonOf(remote: Remote, response: Response): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw new ServiceUnreachable(`the answer of ${remote.url} broke off: ${reasonOf(error)}`);
  });
  try {
    return parseJson(text);
  } catch {
    throw notTheService(remote, response);
  }
}

/** Follows no redirect: another host must not get the key. */
const ask = (url: string, path: string, init: RequestInit): Promise<Response> =>
  fetch(`${url}${path}`, {
    ...init,
    redirect: 'manual',
    headers: { ...init.headers, 'user-agent': `flow-hooks-cli/${version}` },
  }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ServiceUnreachable(`${url} cannot be reached: ${reasonOf(error)}`);
  });

/** A service cannot tell a wrong admin key from other wrong tokens, and does not know where the key of this command comes from. */
const notAccepted = ({ url }: Remote, message: string) =>
  `${url} does not accept the key (${message}): flow-hooks login ${url} takes one of its ADMIN_KEYS, an API key or the token of an operator`;

const notTheService = ({ url }: Remote, { status }: Response) =>
  new ServiceUnreachable(`${url} answers with ${status}, but not as a Flow Hooks service does: check the URL`);

/** `fetch failed` says nothing; its cause does, or the first of several, one for each address. */
function reasonOf(error: unknown): string {
  const cause = (error as Error).cause ?? error;
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return oneLine(first instanceof Error ? first.message : String(first));
}
