import type { Context } from '../../http/context.js';

/** `actor` names the caller in the history: `user:42`, `admin:ops`. */
export type Organisation = { readonly orgId: string; readonly actor: string };
export type Member = Organisation & { readonly userId: string };
/** `orgId` undefined: the caller may speak for any organisation, and names it in the body. */
export type Publisher = { readonly orgId: string | undefined; readonly actor: string };
/** Whoever holds an admin key, by the key's name: `admin:ops`. */
export type Administrator = { readonly actor: string };

/**
 * Judges who is calling, by the headers and a Bearer and never by the body, so that 401 comes before 400.
 * All throw `Unauthenticated`, `Forbidden`, or `InvalidRequest` where a required header is missing or two disagree.
 */
export type Identity = {
  /** Headers `orgid` and `userid`, both required. */
  readonly member: (ctx: Context) => Promise<Member>;
  /** Header `orgid` or `orgId`. */
  readonly organisation: (ctx: Context) => Promise<Organisation>;
  /** Our own routes: a Bearer alone will do, an admin key speaks for every organisation. */
  readonly publisher: (ctx: Context) => Promise<Publisher>;
  /** Routes of operators: an admin key as Bearer, and nothing else. */
  readonly administrator: (ctx: Context) => Promise<Administrator>;
};
