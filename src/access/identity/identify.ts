import type { ApiKeyScope } from '../../events/api-key-events.js';
import type { Context } from '../../http/context.js';
import { Forbidden, InsufficientScope, Unauthenticated } from '../../http/errors.js';
import type { WrongKeys } from '../../http/limits/wrong-keys.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { type AdminKeys, includesRole } from '../admin-keys.js';
import { type ApiKeyGrant, actorOfApiKey } from '../api-key-grant.js';
import { type AdminKeyHolder, adminKeyLookup } from './admin-key-lookup.js';
import type { Identity } from './caller.js';
import { headerId, headerOrClaim, requiredHeader } from './headers.js';

export type IdentitySettings = {
  /** Development mode: identity headers and bodies of every caller are trusted. */
  readonly believeEveryone: boolean;
  /** Whether the peer of this connection is a gateway whose identity headers are trusted. */
  readonly isTrustedGateway: (peerAddress: string | undefined) => boolean;
  readonly verifyAccessToken: (token: string) => Promise<{ readonly userId: string; readonly orgId: string }>;
  /** Undefined if the token is no API key. Throws `Unauthenticated`. */
  readonly verifyApiKey: (ctx: Context, token: string) => Promise<ApiKeyGrant | undefined>;
  /** Returns the bearer token of the `Authorization` header, undefined if there is none. Throws `Unauthenticated`. */
  readonly bearerToken: (ctx: Context) => string | undefined;
  readonly adminKeys: AdminKeys;
  /** Runs the check of a presented key, and slows down guessing. */
  readonly checkingKey: WrongKeys;
};

type Bearer = { readonly userId: string; readonly orgId: string };

/** The holder of a verified bearer token. */
type Holder = { readonly admin: AdminKeyHolder } | { readonly apiKey: ApiKeyGrant } | { readonly user: Bearer };

/** What the credentials say; `nothing` if there are none and the headers are trusted or are not needed. */
type Claims = {
  readonly orgId: string | undefined;
  readonly userId: string | undefined;
  /** The API key that was used. */
  readonly apiKeyId: string | undefined;
};

/** Access tokens, which cannot be guessed: a wrong one has expired, and is not counted as a wrong key. */
const jwt = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;

/** Identifies callers by the rules of the mode: see *Identity* in `docs/security.md`. */
export function identityOf(settings: IdentitySettings): Identity {
  const { believeEveryone, isTrustedGateway, verifyAccessToken, verifyApiKey, bearerToken, checkingKey } = settings;
  const adminOf = adminKeyLookup(settings.adminKeys);

  async function holderOf(ctx: Context, token: string, verifyUser = verifyAccessToken): Promise<Holder> {
    if (jwt.test(token)) return { user: await verifyUser(token) };
    return checkingKey(ctx, token, async () => {
      const admin = adminOf(token);
      if (admin) return { admin };
      const apiKey = await verifyApiKey(ctx, token);
      return apiKey ? { apiKey } : { user: await verifyUser(token) };
    });
  }

  /** A bearer token is always verified; without one, headers are trusted only from a gateway or in development mode. */
  async function callerOf(ctx: Context): Promise<Holder | undefined> {
    const token = bearerToken(ctx);
    if (token !== undefined) return holderOf(ctx, token);
    if (believeEveryone || isTrustedGateway(ctx.req.socket.remoteAddress)) return undefined;
    throw new Unauthenticated('an access token is required: Authorization: Bearer …', 'missing');
  }

  /** For routes of platforms, where an admin key is no credential. */
  async function platformClaims(ctx: Context): Promise<Claims> {
    const holder = await callerOf(ctx);
    if (holder && 'admin' in holder) throw new Unauthenticated('the access token is not valid');
    return claimsOf(holder, 'hooks:write');
  }

  return {
    async member(ctx) {
      const claims = await platformClaims(ctx);
      const orgId = organisationIn(ctx, claims);
      const { apiKeyId } = claims;
      if (apiKeyId !== undefined) {
        const actor = actorOfApiKey(apiKeyId);
        return { orgId, userId: headerId(ctx, 'userid') ?? actor, actor, apiKeyId };
      }
      const userId = requiredHeader(ctx, 'userid', claims.userId);
      return { orgId, userId, actor: `user:${userId}` };
    },

    async organisation(ctx) {
      const claims = await platformClaims(ctx);
      const orgId = organisationIn(ctx, claims);
      const { apiKeyId } = claims;
      if (apiKeyId !== undefined) return { orgId, actor: actorOfApiKey(apiKeyId), apiKeyId };
      const userId = claims.userId ?? headerId(ctx, 'userid');
      return { orgId, actor: userId === undefined ? `organisation:${orgId}` : `user:${userId}` };
    },

    async publisher(ctx) {
      const holder = await callerOf(ctx);
      if (holder && 'admin' in holder) {
        const { actor, role } = holder.admin;
        if (!includesRole(role, 'operator')) throw new Forbidden('publishing requires the role operator');
        return { orgId: undefined, actor };
      }
      const claims = claimsOf(holder, 'flows:publish');
      const { apiKeyId } = claims;
      const orgId = headerOrClaim(ctx, 'orgid', claims.orgId);
      if (apiKeyId !== undefined) return { orgId, actor: actorOfApiKey(apiKeyId), apiKeyId };
      const userId = headerOrClaim(ctx, 'userid', claims.userId);
      if (orgId === undefined && !believeEveryone) throw new InvalidRequest('the header orgid is required');
      return { orgId, actor: userId === undefined ? 'publisher' : `user:${userId}` };
    },

    async administrator(ctx) {
      const token = bearerToken(ctx);
      if (token === undefined)
        throw new Unauthenticated('an admin key is required: Authorization: Bearer …', 'missing');
      const holder = await holderOf(ctx, token, (text) =>
        verifyAccessToken(text).catch((error: unknown) => {
          throw error instanceof Unauthenticated ? new Unauthenticated('this is not an admin key') : error;
        }),
      );
      if ('admin' in holder) return holder.admin;
      if ('apiKey' in holder) return { actor: actorOfApiKey(holder.apiKey.apiKeyId), apiKey: holder.apiKey };
      throw new Forbidden('this route requires an admin key, not an access token');
    },
  };
}

const nothing: Claims = { orgId: undefined, userId: undefined, apiKeyId: undefined };

/** Throws `InsufficientScope` if an API key lacks the scope. */
function claimsOf(holder: Exclude<Holder, { admin: unknown }> | undefined, needed: ApiKeyScope): Claims {
  if (!holder) return nothing;
  if ('user' in holder) return { ...holder.user, apiKeyId: undefined };
  const { apiKeyId, orgId, scopes } = holder.apiKey;
  if (!scopes.includes(needed)) throw new InsufficientScope(needed);
  return { orgId: orgId ?? undefined, userId: undefined, apiKeyId };
}

/** The contract with platforms requires the header; API keys are ours, and one of an organisation says enough. */
function organisationIn(ctx: Context, { orgId, apiKeyId }: Claims): string {
  const stated = apiKeyId === undefined ? undefined : headerOrClaim(ctx, 'orgid', orgId);
  return stated ?? requiredHeader(ctx, 'orgid', orgId);
}
