import { type AdminRole, includesRole } from '../access/admin-keys.js';
import type { AdminApi } from '../admin/api/routing/admin-api.js';
import type { AnyAdminRoute, Caller as ApiCaller, CustomerAction } from '../admin/api/routing/admin-route.js';
import type { RequestOrigin } from '../http/context.js';
import type { RouteAnswer, RouteRequest } from '../http/route-contract.js';
import type { ExampleCommands } from './example-commands.js';
import { type Fields, fieldsOf } from './fields.js';
import type { Upload } from './upload.js';

/** `orgId` null: every organisation. */
export type Caller = {
  actor: string;
  role: AdminRole;
  orgId: string | null;
  /** Actions of a customer; undefined: all. */
  actions?: readonly CustomerAction[];
};

/** The values of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request for a page of the console, or of the portal: what the functions of pages work on. */
export type PageRequest = {
  caller: Caller;
  /**
   * Calls a route of the admin API as the caller, validated and authorised. Fields of a query are texts. Throws domain
   * errors, which become pages.
   */
  call: <Route extends AnyAdminRoute>(route: Route, request: RouteRequest<Route>) => Promise<RouteAnswer<Route>>;
  /** The parameters of the path, decoded. */
  params: Readonly<Record<string, string>>;
  query: Fields;
  /** The fields of a form that was sent; empty for a GET. */
  form: Fields;
  /** The form of a POST with a file; undefined for every other request. */
  upload: Upload | undefined;
  /** Refusal of the form that was sent to the URL `action`, and is shown again. */
  refusal: { action: string; message: string } | undefined;
  /** Aborted when the connection is closed: the answer has no reader then. */
  gone: AbortSignal;
  /** The caller, for calls of the admin API that are not made by `call`. */
  apiCaller: ApiCaller;
  now: Date;
  /** The path of the page without the base, such as `/listeners`. */
  path: string;
  /** The URL of a page: `url('/listeners', { orgId })`. A path parameter needs `encodeURIComponent`. */
  url: (path: string, query?: Query) => string;
  /** The public URL of a route below `HOOKS_PREFIX`. */
  platformUrl: (path: string) => string;
  /** Query with `?`, without the code of a notice, which is for one view. */
  search: string;
  commands: ExampleCommands;
  /** The URL of this page, with its query changed: a value of undefined removes one. */
  here: (changes?: Query) => string;
  /** Hides controls that the caller's role, or the settings of the portal, do not permit; the API refuses them anyway. */
  may: (role: AdminRole, action?: CustomerAction) => boolean;
  /** The same request now. */
  again: () => PageRequest;
  /** The request of the page that shows a refused form again. */
  refused: (path: string, message: string) => PageRequest;
};

/** Parts of an HTTP request that a page works on. */
export type PageSource = {
  /** Path without the base. */
  path: string;
  params: Readonly<Record<string, string>>;
  /** Query as it was parsed. */
  query: Readonly<Record<string, unknown>>;
  /** The parsed body of a form. */
  form?: unknown;
  upload?: Upload;
  refusal?: PageRequest['refusal'];
  gone?: AbortSignal;
  origin?: RequestOrigin;
  commands: ExampleCommands;
};

/** Paths in public URLs, without a slash at the end: `base` of the site, `platformPath` of the routes of platforms. */
export type PagePlace = { base: string; platformPath: string; api: Pick<AdminApi, 'call'> };

const never = new AbortController().signal;

export function pageRequest(place: PagePlace, source: PageSource, caller: Caller): PageRequest {
  const { base, platformPath, api } = place;
  const { path, params, form = {}, upload, refusal, gone = never, origin, commands } = source;
  const apiCaller = { ...caller, request: origin };
  const fields = fieldsOf(source.query);
  // The values that the page reads, so that the URL names what it shows.
  const query = fields.pick(...Object.keys(source.query).filter((name) => name !== 'notice'));
  const url = (to: string, parameters: Query = {}) => `${base}${to === '/' ? '' : to}${queryText(parameters)}`;
  return {
    caller,
    params,
    query: fields,
    form: fieldsOf(form),
    upload,
    refusal,
    gone,
    apiCaller,
    call: (route, request) => api.call(route, request, apiCaller),
    now: new Date(),
    path,
    url,
    commands,
    platformUrl: (to) => `${platformPath}${to}`,
    search: queryText(query),
    here: (changes = {}) => url(path, { ...query, ...changes }),
    may: (role, action) =>
      includesRole(caller.role, role) && (action === undefined || (caller.actions?.includes(action) ?? true)),
    again: () => pageRequest(place, source, caller),
    refused: (to, message) =>
      pageRequest(place, { ...source, path: to, refusal: { action: url(path), message } }, caller),
  };
}

/** The caller's organisation, or that of the query; undefined: none chosen. */
export const organisationOf = ({
  caller,
  query,
  form,
}: Pick<PageRequest, 'caller' | 'query' | 'form'>): string | undefined =>
  caller.orgId ?? query.text('orgId') ?? form.text('orgId');

/** Organisation in URLs of pages; undefined for callers of one organisation. */
export const namedOrganisation = (at: PageRequest): { orgId: string | undefined } => ({
  orgId: at.caller.orgId === null ? organisationOf(at) : undefined,
});

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
