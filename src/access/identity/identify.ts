import { createHash, timingSafeEqual } from 'node:crypto';
import type { ClientScope } from '../../events/client-events.js';
import type { Context } from '../../http/context.js';
import { Forbidden, InsufficientScope, Unauthenticated } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { Identity } from './caller.js';
import { headerId } from './headers.js';

export type IdentitySettings = {
  /** Development mode: identity headers and bodies of every caller are trusted. */
  readonly believeEveryone: boolean;
  /** Whether the peer of this connection is a gateway whose identity headers are trusted. */
  readonly isTrustedGateway: (peerAddress: string | undefined) => boolean;
  readonly verifyAccessToken: (token: string) => Promise<Bearer>;
  /** Returns the bearer token of the `Authorization` header, undefined if there is none. Throws `Unauthenticated`. */
  readonly bearerToken: (ctx: Context) => string | undefined;
  /** Admin keys by name. */
  readonly adminKeys: ReadonlyMap<string, string>;
};

/** `scopes` null: all. */
type Bearer = { readonly userId: string; readonly orgId: string; readonly scopes: readonly ClientScope[] | null };

/** Identifies callers by the rules of the mode: see *Who is calling* in `docs/security.md`. */
export function identityOf(settings: IdentitySettings): Identity {
  const { believeEveryone, isTrustedGateway, verifyAccessToken, bearerToken, adminKeys } = settings;
  const adminOf = adminKeyLookup(adminKeys);

  /** A bearer token is always verified; without one, headers are trusted only from a gateway or in development mode. */
  async function callerOf(ctx: Context, scope: ClientScope): Promise<Bearer | undefined> {
    const token = bearerToken(ctx);
    if (token !== undefined) return withScope(await verifyAccessToken(token), scope);
    if (believeEveryone || isTrustedGateway(ctx.req.socket.remoteAddress)) return undefined;
    throw new Unauthenticated('an access token is required: Authorization: Bearer …', 'missing');
  }

  return {
    async member(ctx) {
      const bearer = await callerOf(ctx, 'hooks');
      const orgId = requiredHeader(ctx, 'orgid', bearer?.orgId);
      const userId = requiredHeader(ctx, 'userid', bearer?.userId);
      return { orgId, userId, actor: `user:${userId}` };
    },

    async organisation(ctx) {
      const bearer = await callerOf(ctx, 'hooks');
      const orgId = requiredHeader(ctx, 'orgid', bearer?.orgId);
      const userId = bearer?.userId ?? headerId(ctx, 'userid');
      return { orgId, actor: userId === undefined ? `organisation:${orgId}` : `user:${userId}` };
    },

    async publisher(ctx) {
      const token = bearerToken(ctx);
      const admin = token === undefined ? undefined : adminOf(token);
      if (admin !== undefined) return { orgId: undefined, actor: `admin:${admin}` };
      const bearer = await callerOf(ctx, 'flows:publish');
      const orgId = headerOrClaim(ctx, 'orgid', bearer?.orgId);
      const userId = headerOrClaim(ctx, 'userid', bearer?.userId);
      if (orgId === undefined && !believeEveryone) throw new InvalidRequest('the header orgid is required');
      return { orgId, actor: userId === undefined ? 'publisher' : `user:${userId}` };
    },

    async administrator(ctx) {
      const token = bearerToken(ctx);
      if (token === undefined)
        throw new Unauthenticated('an admin key is required: Authorization: Bearer …', 'missing');
      const admin = adminOf(token);
      if (admin !== undefined) return { actor: `admin:${admin}` };
      await verifyAccessToken(token).catch((error: unknown) => {
        throw error instanceof Unauthenticated ? new Unauthenticated('this is not an admin key') : error;
      });
      throw new Forbidden('this route requires an admin key, not an access token');
    },
  };
}

function withScope(bearer: Bearer, scope: ClientScope): Bearer {
  if (bearer.scopes !== null && !bearer.scopes.includes(scope)) throw new InsufficientScope(scope);
  return bearer;
}

type IdHeader = 'orgid' | 'userid';

/** Returns the header's value, or else the token's. Throws `Forbidden` if they differ. */
function headerOrClaim(ctx: Context, name: IdHeader, claimed: string | undefined): string | undefined {
  const sent = headerId(ctx, name);
  if (sent !== undefined && claimed !== undefined && sent !== claimed) {
    const subject = name === 'orgid' ? 'organisation' : 'user';
    throw new Forbidden(`the access token is for a different ${subject} than the header ${name}`);
  }
  return sent ?? claimed;
}

function requiredHeader(ctx: Context, name: IdHeader, claimed: string | undefined): string {
  const sent = headerId(ctx, name);
  if (sent === undefined) throw new InvalidRequest(`the header ${name} is required`);
  return headerOrClaim(ctx, name, claimed) ?? sent;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Compares SHA-256 digests in constant time, so that neither the keys nor their lengths leak through timing. */
function adminKeyLookup(keys: ReadonlyMap<string, string>): (presented: string) => string | undefined {
  const digests = [...keys].map(([name, key]) => ({ name, digest: digest(key) }));
  return (presented) => {
    const presentedDigest = digest(presented);
    return digests.find((each) => timingSafeEqual(each.digest, presentedDigest))?.name;
  };
}
