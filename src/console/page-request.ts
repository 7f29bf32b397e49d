import type { AdminRole } from '../access/admin-keys.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { Caller } from './caller.js';
import type { Fields } from './fields.js';

/** The values of a query; undefined ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request for a page of the console, or of the portal: what the functions of pages work on. */
export type PageRequest = {
  readonly caller: Caller;
  /** The cause of the events that the request appends: the caller. */
  readonly cause: Cause;
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields;
  /** The fields of a form that was sent; empty for a GET. */
  readonly form: Fields;
  readonly now: Date;
  /** The path of the page without the base, such as `/hooks`. */
  readonly path: string;
  /** The URL of a page: `url('/hooks', { orgId })`. A path parameter needs `encodeURIComponent`. */
  readonly url: (path: string, query?: Query) => string;
  /** The query of this page as text, with `?`; without the code of a notice, which is for one view of a page. */
  readonly search: string;
  /** The URL of this page, with its query changed: a value of undefined removes one. */
  readonly here: (changes?: Query) => string;
  /** Whether the caller's role permits it. A control that it does not permit is not shown; the API refuses it anyway. */
  readonly may: (role: AdminRole) => boolean;
};

export type Addresses = Pick<PageRequest, 'url' | 'here' | 'search'>;

/** The URLs of pages below a base. `at`: the path and the query of this page. */
export function addresses(
  base: string,
  at: { readonly path: string; readonly query: Readonly<Record<string, unknown>> },
): Addresses {
  const url = (path: string, query: Query = {}) => `${base}${path === '/' ? '' : path}${queryText(query)}`;
  const query = plain(at.query);
  return { url, search: queryText(query), here: (changes = {}) => url(at.path, { ...query, ...changes }) };
}

/** The parameters with one value, without the notice. */
const plain = (query: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'notice',
    ),
  );

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
