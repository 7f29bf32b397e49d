import type { ApiKeyScope } from '../../events/api-key-events.js';
import type { Context } from '../../http/context.js';
import type { LimitedCaller } from '../../http/limits/request-limits.js';
import type { AdminRole } from '../admin-keys.js';

/** `orgId` null: for every organisation. */
export type ApiKeyGrant = {
  readonly apiKeyId: string;
  readonly orgId: string | null;
  readonly scopes: readonly ApiKeyScope[];
};

export const actorOfApiKey = (apiKeyId: string): string => `api-key:${apiKeyId}`;

/** `actor` names the caller in the history: `user:42`, `admin:ops`, `api-key:<ID>`. */
export type Organisation = LimitedCaller & { readonly orgId: string; readonly actor: string };
type Member = Organisation & { readonly userId: string };
/** `orgId` undefined: the caller may publish for any organisation, and names it in the body. */
export type Publisher = LimitedCaller & { readonly orgId: string | undefined; readonly actor: string };
/** The holder of an admin key, named after the key, or of an API key, which permits only what it grants. */
export type Administrator = { readonly actor: string } & (
  | { readonly role: AdminRole; readonly apiKey?: undefined }
  | { readonly apiKey: ApiKeyGrant }
);

/** What credentials are for. `orgId` and `userId` null: any. `role`: of an admin key. */
export type CredentialFacts = {
  readonly actor: string;
  readonly orgId: string | null;
  readonly userId: string | null;
  readonly role: AdminRole | null;
  readonly scopes: readonly string[];
};

/**
 * Identifies callers by headers and bearer token, never by the body, so that 401 comes before 400. All methods throw
 * `Unauthenticated`, `Forbidden`, `InsufficientScope`, or `InvalidRequest` if a required header is missing or two
 * values differ.
 */
export type Identity = {
  /**
   * Requires `orgid` and `userid`, and the scope `listeners` of an access token. With an API key (`listeners:write`)
   * `orgid` is required only if the key is for every organisation; without `userid` the key's actor is the user.
   */
  readonly member: (ctx: Context) => Promise<Member>;
  /** Header `orgid`; scopes as for `member`. */
  readonly organisation: (ctx: Context) => Promise<Organisation>;
  /**
   * For perform-list, which needs no identity: undefined for a caller without an accepted one. Throws only if it cannot
   * be checked.
   */
  readonly organisationIfAccepted: (ctx: Context) => Promise<Organisation | undefined>;
  /** Requires the scope `flows:publish`; admin keys of operators and owners are valid for every organisation. */
  readonly publisher: (ctx: Context) => Promise<Publisher>;
  /**
   * `GET /test`, `GET /whoami`: a bearer token with all these scopes; `orgid` and `userid` are optional, and an API key is
   * valid with any user.
   */
  readonly requireBearer: (ctx: Context, scopes: readonly string[]) => Promise<CredentialFacts>;
  /** The caller of this method checks the role or grant. */
  readonly administrator: (ctx: Context) => Promise<Administrator>;
};
