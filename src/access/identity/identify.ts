import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKeyScope } from '../../events/api-key-events.js';
import type { Context } from '../../http/context.js';
import { Forbidden, InsufficientScope, Unauthenticated } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { type AdminKeys, type AdminRole, includesRole } from '../admin-keys.js';
import { type ApiKeyGrant, actorOfApiKey } from '../api-key-grant.js';
import type { Identity } from './caller.js';
import { headerId } from './headers.js';

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
};

/** What the credentials say; undefined: nothing, and the headers are trusted or are not needed. */
type Claims = {
  readonly orgId: string | undefined;
  readonly userId: string | undefined;
  /** The actor of an API key. */
  readonly keyActor?: string;
};

/** Identifies callers by the rules of the mode: see *Identity* in `docs/security.md`. */
export function identityOf(settings: IdentitySettings): Identity {
  const { believeEveryone, isTrustedGateway, verifyAccessToken, verifyApiKey, bearerToken, adminKeys } = settings;
  const adminOf = adminKeyLookup(adminKeys);

  /** A bearer token is always verified; without one, headers are trusted only from a gateway or in development mode. */
  async function claimsOf(ctx: Context, needed: ApiKeyScope): Promise<Claims> {
    const token = bearerToken(ctx);
    if (token !== undefined) {
      const key = await verifyApiKey(ctx, token);
      return key ? claimsOfKey(key, needed) : verifyAccessToken(token);
    }
    if (believeEveryone || isTrustedGateway(ctx.req.socket.remoteAddress)) return nothing;
    throw new Unauthenticated('an access token is required: Authorization: Bearer …', 'missing');
  }

  return {
    async member(ctx) {
      const claims = await claimsOf(ctx, 'hooks:write');
      const orgId = organisationIn(ctx, claims);
      const { keyActor } = claims;
      if (keyActor !== undefined) return { orgId, userId: headerId(ctx, 'userid') ?? keyActor, actor: keyActor };
      const userId = requiredHeader(ctx, 'userid', claims.userId);
      return { orgId, userId, actor: `user:${userId}` };
    },

    async organisation(ctx) {
      const claims = await claimsOf(ctx, 'hooks:write');
      const orgId = organisationIn(ctx, claims);
      if (claims.keyActor !== undefined) return { orgId, actor: claims.keyActor };
      const userId = claims.userId ?? headerId(ctx, 'userid');
      return { orgId, actor: userId === undefined ? `organisation:${orgId}` : `user:${userId}` };
    },

    async publisher(ctx) {
      const token = bearerToken(ctx);
      const admin = token === undefined ? undefined : adminOf(token);
      if (admin !== undefined) {
        if (!includesRole(admin.role, 'operator')) throw new Forbidden('publishing requires the role operator');
        return { orgId: undefined, actor: admin.actor };
      }
      const claims = await claimsOf(ctx, 'flows:publish');
      const orgId = headerOrClaim(ctx, 'orgid', claims.orgId);
      if (claims.keyActor !== undefined) return { orgId, actor: claims.keyActor };
      const userId = headerOrClaim(ctx, 'userid', claims.userId);
      if (orgId === undefined && !believeEveryone) throw new InvalidRequest('the header orgid is required');
      return { orgId, actor: userId === undefined ? 'publisher' : `user:${userId}` };
    },

    async administrator(ctx) {
      const token = bearerToken(ctx);
      if (token === undefined)
        throw new Unauthenticated('an admin key is required: Authorization: Bearer …', 'missing');
      const admin = adminOf(token);
      if (admin !== undefined) return admin;
      const apiKey = await verifyApiKey(ctx, token);
      if (apiKey) return { actor: actorOfApiKey(apiKey.apiKeyId), apiKey };
      await verifyAccessToken(token).catch((error: unknown) => {
        throw error instanceof Unauthenticated ? new Unauthenticated('this is not an admin key') : error;
      });
      throw new Forbidden('this route requires an admin key, not an access token');
    },
  };
}

const nothing: Claims = { orgId: undefined, userId: undefined };

function claimsOfKey({ apiKeyId, orgId, scopes }: ApiKeyGrant, needed: ApiKeyScope): Claims {
  if (!scopes.includes(needed)) throw new InsufficientScope(needed);
  return { orgId: orgId ?? undefined, userId: undefined, keyActor: actorOfApiKey(apiKeyId) };
}

type IdHeader = 'orgid' | 'userid';

/** Returns the header's value, or else that of the credentials. Throws `Forbidden` if they differ. */
function headerOrClaim(ctx: Context, name: IdHeader, claimed: string | undefined): string | undefined {
  const sent = headerId(ctx, name);
  if (sent !== undefined && claimed !== undefined && sent !== claimed) {
    const subject = name === 'orgid' ? 'organisation' : 'user';
    throw new Forbidden(`the credentials are for a different ${subject} than the header ${name}`);
  }
  return sent ?? claimed;
}

function requiredHeader(ctx: Context, name: IdHeader, claimed: string | undefined): string {
  const sent = headerId(ctx, name);
  if (sent === undefined) throw new InvalidRequest(`the header ${name} is required`);
  return headerOrClaim(ctx, name, claimed) ?? sent;
}

/** The contract with platforms requires the header; API keys are ours, and one of an organisation says enough. */
function organisationIn(ctx: Context, { orgId, keyActor }: Claims): string {
  const stated = keyActor === undefined ? undefined : headerOrClaim(ctx, 'orgid', orgId);
  return stated ?? requiredHeader(ctx, 'orgid', orgId);
}

type AdminKeyHolder = { readonly actor: string; readonly role: AdminRole };

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Compares SHA-256 digests in constant time, so that neither the keys nor their lengths leak through timing. */
function adminKeyLookup(keys: AdminKeys): (presented: string) => AdminKeyHolder | undefined {
  const digests = [...keys].map(([name, { key, role }]) => ({
    holder: { actor: `admin:${name}`, role },
    digest: digest(key),
  }));
  return (presented) => {
    const presentedDigest = digest(presented);
    return digests.find((each) => timingSafeEqual(each.digest, presentedDigest))?.holder;
  };
}
