import type { Context } from '../../http/context.js';

/** `actor` names the caller in the history: `user:42`, `admin:ops`. */
export type Organisation = { readonly orgId: string; readonly actor: string };
export type Member = Organisation & { readonly userId: string };
/** `orgId` undefined: the caller may publish for any organisation, and names it in the body. */
export type Publisher = { readonly orgId: string | undefined; readonly actor: string };
/** The holder of an admin key, by the key's name: `admin:ops`. */
export type Administrator = { readonly actor: string };

/**
 * Identifies the caller of a request from its headers and bearer token, never from its body, so that 401 comes before 400.
 * All methods throw `Unauthenticated`, `Forbidden`, `InsufficientScope`, or `InvalidRequest` if a required header is missing or two
 * values differ.
 */
export type Identity = {
  /** Headers `orgid` and `userid`, both required; an access token needs the scope `hooks`. */
  readonly member: (ctx: Context) => Promise<Member>;
  /** Header `orgid` or `orgId`; an access token needs the scope `hooks`. */
  readonly organisation: (ctx: Context) => Promise<Organisation>;
  /**
   * Routes of the service's own API: a bearer token with the scope `flows:publish` suffices; an admin key is valid for every
   * organisation.
   */
  readonly publisher: (ctx: Context) => Promise<Publisher>;
  /** Routes of operators: only an admin key as bearer token. */
  readonly administrator: (ctx: Context) => Promise<Administrator>;
};
