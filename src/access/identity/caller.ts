import type { ApiKeyScope } from '../../events/api-key-events.js';
import type { ClientScope } from '../../events/client-events.js';
import type { Context } from '../../http/context.js';
import type { LimitedCaller } from '../../http/limits/request-limits.js';
import type { AdminRole } from '../admin-keys.js';
import type { ProtectedResource } from '../protected-resource.js';

/** `orgId` null: for every organisation. */
export type ApiKeyGrant = {
  apiKeyId: string;
  orgId: string | null;
  scopes: readonly ApiKeyScope[];
};

const ofApiKey = 'api-key:';

export const actorOfApiKey = (apiKeyId: string): string => `${ofApiKey}${apiKeyId}`;

/** Undefined for another actor. */
export const apiKeyOfActor = (actor: string): string | undefined =>
  actor.startsWith(ofApiKey) ? actor.slice(ofApiKey.length) : undefined;

/** `actor` names the caller in the history: `user:42`, `admin:ops`, `api-key:<ID>`. */
export type Organisation = LimitedCaller & { orgId: string; actor: string };
type Member = Organisation & { userId: string };
/** `orgId` undefined: the caller may publish for any organisation, and names it in the body. */
export type Publisher = LimitedCaller & { orgId: string | undefined; actor: string };
/** The holder of an admin key, named after the key, of an API key, which permits only what it grants, or of an access token. */
export type Administrator = { actor: string } & (
  | { role: AdminRole; apiKey?: undefined; member?: undefined }
  | { apiKey: ApiKeyGrant; member?: undefined }
  | { member: AdministratedMember; apiKey?: undefined }
);
/** A user of one organisation. */
export type AdministratedMember = {
  orgId: string;
  /** Session of the access token. */
  sessionId?: string;
  clientId?: string;
  /** Null: all. */
  scopes: readonly ClientScope[] | null;
};

/** Organisation, user and permissions of credentials. `orgId` and `userId` null: any. `role`: of an admin key. */
export type CredentialFacts = {
  actor: string;
  orgId: string | null;
  userId: string | null;
  role: AdminRole | null;
  scopes: readonly string[];
};

/** Identification of callers of admin routes. */
export type AdministratorIdentity = {
  /**
   * The caller of this method checks the role or grant. Access tokens are refused without the scope that they need; those for `resource` alone
   * are accepted too.
   */
  administrator: (ctx: Context, tokenScope?: ClientScope, resource?: ProtectedResource) => Promise<Administrator>;
};

/**
 * Identifies callers by headers and bearer token, never by the body, so that 401 comes before 400. All methods throw
 * `Unauthenticated`, `Forbidden`, `InsufficientScope`, or `InvalidRequest` if a required header is missing or two
 * values differ.
 */
export type Identity = AdministratorIdentity & {
  /**
   * Requires `orgid` and `userid`, and the scope `listeners` of an access token. With an API key (`listeners:write`)
   * `orgid` is required only if the key is for every organisation; without `userid` the key's actor is the user.
   */
  member: (ctx: Context) => Promise<Member>;
  /** Header `orgid`; scopes as for `member`. */
  organisation: (ctx: Context) => Promise<Organisation>;
  /**
   * Organisation for perform-list, which needs no identity: undefined for a caller without an accepted one. Throws only if it cannot be
   * checked.
   */
  organisationIfAccepted: (ctx: Context) => Promise<Organisation | undefined>;
  /** Requires the scope `flows:publish`; admin keys of operators and owners are valid for every organisation. */
  publisher: (ctx: Context) => Promise<Publisher>;
  /**
   * `GET /test`, `GET /whoami`: a bearer token with all these scopes; `orgid` and `userid` are optional, and an API key is
   * valid with any user.
   */
  requireBearer: (ctx: Context, scopes: readonly string[]) => Promise<CredentialFacts>;
};
