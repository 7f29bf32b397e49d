import type { ApiKeyScope } from '../../events/api-key-events.js';
import type { Context } from '../../http/context.js';
import type { LimitedCaller } from '../../http/limits/request-limits.js';
import type { AdminRole } from '../admin-keys.js';

/** What a verified API key permits. `orgId` null: for every organisation. */
export type ApiKeyGrant = {
  readonly apiKeyId: string;
  readonly orgId: string | null;
  readonly scopes: readonly ApiKeyScope[];
};

/** The actor in the history. */
export const actorOfApiKey = (apiKeyId: string): string => `api-key:${apiKeyId}`;

/** `actor` names the caller in the history: `user:42`, `admin:ops`, `api-key:<ID>`. */
export type Organisation = LimitedCaller & { readonly orgId: string; readonly actor: string };
type Member = Organisation & { readonly userId: string };
/** `orgId` undefined: the caller may publish for any organisation, and names it in the body. */
export type Publisher = LimitedCaller & { readonly orgId: string | undefined; readonly actor: string };
/** The holder of an admin key, by the key's name: `admin:ops`; or of an API key, which permits only what it grants. */
export type Administrator = { readonly actor: string } & (
  | { readonly role: AdminRole; readonly apiKey?: undefined }
  | { readonly apiKey: ApiKeyGrant }
);

/**
 * Identifies the caller of a request from its headers and bearer token, never from its body, so that 401 comes before 400.
 * All methods throw `Unauthenticated`, `Forbidden`, `InsufficientScope`, or `InvalidRequest` if a required header is missing or two
 * values differ.
 */
export type Identity = {
  /**
   * Headers `orgid` and `userid`, both required; an access token needs the scope `listeners`. With an API key (scope `listeners:write`)
   * `orgid` is required only if the key is for every organisation, and without `userid` the key's actor is the user.
   */
  readonly member: (ctx: Context) => Promise<Member>;
  /** Header `orgid` or `orgId`; an access token needs the scope `listeners`; with an API key as for `member`. */
  readonly organisation: (ctx: Context) => Promise<Organisation>;
  /**
   * For perform-list, which needs no identity: an access token with the scope `listeners`, an API key with the scope `listeners:read`, or
   * trusted headers; `orgid` only if these do not contain the organisation. Undefined for a caller without an identity, or with one that is
   * not accepted. Throws only if it cannot be checked.
   */
  readonly organisationIfAccepted: (ctx: Context) => Promise<Organisation | undefined>;
  /**
   * Routes of the service's own API: an access token or an API key with the scope `flows:publish` suffices; an admin key, of an
   * operator or owner, is valid for every organisation.
   */
  readonly publisher: (ctx: Context) => Promise<Publisher>;
  /**
   * `GET /test`: any bearer token that has all these scopes. The headers `orgid` and `userid` are optional, and an API key is valid with
   * any user.
   */
  readonly requireBearer: (ctx: Context, scopes: readonly string[]) => Promise<void>;
  /** Routes of operators: an admin key as bearer token, or an API key. The caller of this method checks its role or grant. */
  readonly administrator: (ctx: Context) => Promise<Administrator>;
};
