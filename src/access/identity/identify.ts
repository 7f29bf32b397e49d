import type { ApiKeyScope } from '../../events/api-key-events.js';
import { type ClientScope, clientScope } from '../../events/client-events.js';
import type { Context } from '../../http/context.js';
import { Forbidden, InsufficientScope, Unauthenticated } from '../../http/errors.js';
import { RateLimited } from '../../http/limits/rate-limit.js';
import type { WrongKeys } from '../../http/limits/request-limits.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { defined } from '../../kernel/input/defined.js';
import { type AdminKeyHolder, type AdminKeys, type AdminRole, adminKeyLookup, includesRole } from '../admin-keys.js';
import type { ProtectedResource } from '../protected-resource.js';
import { notReserved } from '../reserved-organisation.js';
import {
  type AdministratedMember,
  type ApiKeyGrant,
  actorOfApiKey,
  type CredentialFacts,
  type Identity,
  type Organisation,
} from './caller.js';
import { headerId, headerOrClaim, requiredHeader } from './headers.js';

export type IdentitySettings = {
  /** Development mode: trusts identity headers and bodies of every caller. */
  believeEveryone: boolean;
  verifyAccessToken: (token: string, resource?: ProtectedResource) => Promise<Bearer>;
  /** Undefined if the token is no API key. Throws `Unauthenticated`. */
  verifyApiKey: (ctx: Context, token: string) => Promise<ApiKeyGrant | undefined>;
  /** Undefined if there is none. Throws `Unauthenticated`. */
  bearerToken: (ctx: Context) => string | undefined;
  adminKeys: AdminKeys;
  /** Undefined if no operator holds the token. Throws `Unauthenticated`. */
  verifyOperatorToken: (token: string) => Promise<AdminKeyHolder | undefined>;
  checkingKey: WrongKeys;
};

/** `clientId` null: the session has no client. `scopes` null: all. */
type Bearer = {
  userId: string;
  orgId: string;
  sessionId?: string;
  clientId: string | null;
  scopes: readonly ClientScope[] | null;
};

/** `admin`: of an admin key, or of a token of an operator. */
type Holder = { admin: AdminKeyHolder } | { apiKey: ApiKeyGrant } | { user: Bearer };

/** `nothing` if there are none and the headers are trusted or are not needed. */
type Claims = {
  orgId: string | undefined;
  userId: string | undefined;
  apiKeyId?: string;
  clientId?: string;
};

type NeededScopes = { token: ClientScope; apiKey: ApiKeyScope };

const changingListeners: NeededScopes = { token: 'listeners', apiKey: 'listeners:write' };
const readingListeners: NeededScopes = { token: 'listeners', apiKey: 'listeners:read' };
const publishing: NeededScopes = { token: 'flows:publish', apiKey: 'flows:publish' };

/** Access tokens and operators' tokens cannot be guessed: a wrong one has expired, and does not count as a guess. */
const jwt = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;

function tokenVerification(settings: IdentitySettings) {
  const { adminKeys, checkingKey, verifyAccessToken, verifyApiKey, verifyOperatorToken } = settings;
  const adminOf = adminKeyLookup(adminKeys);
  return async (
    ctx: Context,
    token: string,
    verifyUser: (token: string) => Promise<Bearer> = verifyAccessToken,
  ): Promise<Holder> => {
    if (jwt.test(token)) return { user: await verifyUser(token) };
    const operator = await verifyOperatorToken(token);
    if (operator) return { admin: operator };
    return checkingKey(ctx, token, async () => {
      const admin = adminOf(token);
      if (admin) return { admin };
      const apiKey = await verifyApiKey(ctx, token);
      return apiKey ? { apiKey } : { user: await verifyUser(token) };
    });
  };
}

/** Identifies callers by the rules of the mode: see *Who is calling* in `docs/security.md`. */
export function identityOf(settings: IdentitySettings): Identity {
  const { believeEveryone, verifyAccessToken, bearerToken } = settings;
  const holderOf = tokenVerification(settings);

  /** A bearer token is always verified; without one, headers are trusted only from a gateway or in development mode. */
  async function callerOf(ctx: Context): Promise<Holder | undefined> {
    const token = bearerToken(ctx);
    if (token !== undefined) return holderOf(ctx, token);
    if (believeEveryone || ctx.state.peer.isGateway) return undefined;
    throw new Unauthenticated('an access token is required: Authorization: Bearer …', 'missing');
  }

  /** Platform routes: an admin key is no credential. */
  async function platformClaims(ctx: Context): Promise<Claims> {
    const holder = await callerOf(ctx);
    if (holder && 'admin' in holder) throw new Unauthenticated('the access token is not valid');
    return claimsOf(holder, changingListeners);
  }

  return {
    async member(ctx) {
      const claims = await platformClaims(ctx);
      const orgId = organisationIn(ctx, claims);
      const { apiKeyId, clientId } = claims;
      if (apiKeyId !== undefined) {
        const actor = actorOfApiKey(apiKeyId);
        return { orgId, userId: headerId(ctx, 'userid') ?? actor, actor, apiKeyId };
      }
      const userId = requiredHeader(ctx, 'userid', claims.userId);
      return { orgId, userId, actor: `user:${userId}`, clientId };
    },

    async organisation(ctx) {
      const claims = await platformClaims(ctx);
      const orgId = organisationIn(ctx, claims);
      const sent = headerId(ctx, 'userid');
      return callerFor(orgId, { ...claims, userId: claims.userId ?? sent }, `organisation:${orgId}`);
    },

    async organisationIfAccepted(ctx) {
      try {
        const holder = await callerOf(ctx);
        return holder && 'admin' in holder ? undefined : organisationOf(ctx, claimsOf(holder, readingListeners));
      } catch (error) {
        if (isRefusal(error)) return undefined;
        throw error;
      }
    },

    async publisher(ctx) {
      const holder = await callerOf(ctx);
      if (holder && 'admin' in holder) {
        const { actor, role } = holder.admin;
        if (!includesRole(role, 'operator')) throw new Forbidden('publishing requires the role operator');
        return { orgId: undefined, actor };
      }
      const claims = claimsOf(holder, publishing);
      const orgId = notReserved(headerOrClaim(ctx, 'orgid', claims.orgId));
      const userId = headerOrClaim(ctx, 'userid', claims.userId);
      if (orgId === undefined && claims.apiKeyId === undefined && !believeEveryone)
        throw new InvalidRequest('the header orgid is required');
      return callerFor(orgId, { ...claims, userId }, 'publisher');
    },

    async requireBearer(ctx, scopes) {
      const token = bearerToken(ctx);
      if (token === undefined)
        throw new Unauthenticated('send an access token or an API key: Authorization: Bearer <token>', 'missing');
      const facts = factsOf(await holderOf(ctx, token));
      requireAgreement(ctx, facts, scopes);
      return facts;
    },

    async administrator(ctx, tokenScope, resource) {
      const token = bearerToken(ctx);
      if (token === undefined)
        throw new Unauthenticated(
          `an admin key${tokenScope === undefined ? '' : ', an API key or an access token'} is required: Authorization: Bearer …`,
          'missing',
        );
      const holder = await holderOf(ctx, token, (text) =>
        verifyAccessToken(text, resource).catch((error: unknown) => {
          if (tokenScope !== undefined || !(error instanceof Unauthenticated)) throw error;
          throw new Unauthenticated('this is not an admin key');
        }),
      );
      if ('admin' in holder) return holder.admin;
      if ('apiKey' in holder) return { actor: actorOfApiKey(holder.apiKey.apiKeyId), apiKey: holder.apiKey };
      if (tokenScope === undefined) throw new Forbidden('this route requires an admin key, not an access token');
      const { scopes, userId } = holder.user;
      if (scopes !== null && !scopes.includes(tokenScope)) throw new InsufficientScope(tokenScope);
      return { actor: `user:${userId}`, member: memberOf(holder.user) };
    },
  };
}

const memberOf = ({ orgId, scopes, sessionId, clientId }: Bearer): AdministratedMember => ({
  orgId,
  scopes,
  ...defined({ sessionId, clientId: clientId ?? undefined }),
});

/** Throws `Forbidden` if headers and credentials differ, and `InsufficientScope`. */
function requireAgreement(ctx: Context, facts: CredentialFacts, needed: readonly string[]): void {
  const missing = needed.find((scope) => !facts.scopes.includes(scope));
  if (missing !== undefined) throw new InsufficientScope(missing);
  headerOrClaim(ctx, 'orgid', facts.orgId ?? undefined);
  headerOrClaim(ctx, 'userid', facts.userId ?? undefined);
}

function factsOf(holder: Holder): CredentialFacts {
  if ('admin' in holder) {
    const { actor, role } = holder.admin;
    return { actor, orgId: null, userId: null, role, scopes: scopesOfRole(role) };
  }
  if ('apiKey' in holder) {
    const { apiKeyId, orgId, scopes } = holder.apiKey;
    return { actor: actorOfApiKey(apiKeyId), orgId, userId: null, role: null, scopes };
  }
  const { orgId, userId, scopes } = holder.user;
  return { actor: `user:${userId}`, orgId, userId, role: null, scopes: scopes ?? clientScope.options };
}

/** Scopes of an admin key outside the admin API. */
const scopesOfRole = (role: AdminRole): readonly ApiKeyScope[] => [
  ...(['listeners:read', 'flows:read', 'deliveries:read'] as const),
  ...(includesRole(role, 'operator') ? (['flows:publish'] as const) : []),
];

function organisationOf(ctx: Context, claims: Claims): Organisation | undefined {
  const orgId = notReserved(headerOrClaim(ctx, 'orgid', claims.orgId));
  return orgId === undefined ? undefined : callerFor(orgId, claims, `organisation:${orgId}`);
}

/** `otherwise`: the actor where neither an API key nor a user is known. */
const callerFor = <OrgId>(orgId: OrgId, { userId, apiKeyId, clientId }: Claims, otherwise: string) =>
  apiKeyId === undefined
    ? { orgId, actor: userId === undefined ? otherwise : `user:${userId}`, clientId }
    : { orgId, actor: actorOfApiKey(apiKeyId), apiKeyId };

/** False for failures to check an identity. */
const isRefusal = (error: unknown): boolean =>
  [Unauthenticated, Forbidden, InsufficientScope, InvalidRequest, RateLimited].some((each) => error instanceof each);

const nothing: Claims = { orgId: undefined, userId: undefined };

function claimsOf(holder: Exclude<Holder, { admin: unknown }> | undefined, needed: NeededScopes): Claims {
  if (!holder) return nothing;
  if ('user' in holder) {
    const { userId, orgId, clientId, scopes } = holder.user;
    if (scopes !== null && !scopes.includes(needed.token)) throw new InsufficientScope(needed.token);
    return { orgId, userId, clientId: clientId ?? undefined };
  }
  const { apiKeyId, orgId, scopes } = holder.apiKey;
  if (!scopes.includes(needed.apiKey)) throw new InsufficientScope(needed.apiKey);
  return { orgId: orgId ?? undefined, userId: undefined, apiKeyId };
}

/** Platforms must send the header; an API key of one organisation is enough without it. */
function organisationIn(ctx: Context, { orgId, apiKeyId }: Claims): string {
  const stated = apiKeyId === undefined ? undefined : headerOrClaim(ctx, 'orgid', orgId);
  return notReserved(stated ?? requiredHeader(ctx, 'orgid', orgId));
}
