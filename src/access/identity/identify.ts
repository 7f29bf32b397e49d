import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../http/context.js';
import { Forbidden, Unauthenticated } from '../../http/errors.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import type { Identity } from './caller.js';
import { headerId } from './headers.js';

export type IdentitySettings = {
  /** Development mode: headers and bodies are believed, whoever sends them. */
  readonly believeEveryone: boolean;
  /** Whether the peer of this connection is a gateway whose identity headers are believed. */
  readonly isTrustedGateway: (peerAddress: string | undefined) => boolean;
  readonly verifyAccessToken: (token: string) => Promise<{ readonly userId: string; readonly orgId: string }>;
  /** The token of the `Authorization` header; undefined where there is no such header. Throws `Unauthenticated`. */
  readonly bearerToken: (ctx: Context) => string | undefined;
  /** Key by name. */
  readonly adminKeys: ReadonlyMap<string, string>;
};

type Bearer = { readonly userId: string; readonly orgId: string };

/** Who is calling, by the rules of the mode: see *Who is calling* in `docs/security.md`. */
export function identityOf(settings: IdentitySettings): Identity {
  const { believeEveryone, isTrustedGateway, verifyAccessToken, bearerToken, adminKeys } = settings;
  const adminOf = adminKeyLookup(adminKeys);

  /** A Bearer that is sent is always checked; without one, only a trusted gateway and development mode are believed. */
  async function callerOf(ctx: Context): Promise<Bearer | undefined> {
    const token = bearerToken(ctx);
    if (token !== undefined) return verifyAccessToken(token);
    if (believeEveryone || isTrustedGateway(ctx.req.socket.remoteAddress)) return undefined;
    throw new Unauthenticated('an access token is needed: Authorization: Bearer …', 'missing');
  }

  return {
    async member(ctx) {
      const bearer = await callerOf(ctx);
      const orgId = requiredHeader(ctx, 'orgid', bearer?.orgId);
      const userId = requiredHeader(ctx, 'userid', bearer?.userId);
      return { orgId, userId, actor: `user:${userId}` };
    },

    async organisation(ctx) {
      const bearer = await callerOf(ctx);
      const orgId = requiredHeader(ctx, 'orgid', bearer?.orgId);
      const userId = bearer?.userId ?? headerId(ctx, 'userid');
      return { orgId, actor: userId === undefined ? `organisation:${orgId}` : `user:${userId}` };
    },

    async publisher(ctx) {
      const token = bearerToken(ctx);
      const admin = token === undefined ? undefined : adminOf(token);
      if (admin !== undefined) return { orgId: undefined, actor: `admin:${admin}` };
      const bearer = await callerOf(ctx);
      const orgId = headerOrClaim(ctx, 'orgid', bearer?.orgId);
      const userId = headerOrClaim(ctx, 'userid', bearer?.userId);
      if (orgId === undefined && !believeEveryone) throw new InvalidRequest('the header orgid is needed');
      return { orgId, actor: userId === undefined ? 'publisher' : `user:${userId}` };
    },

    async administrator(ctx) {
      const token = bearerToken(ctx);
      if (token === undefined) throw new Unauthenticated('an admin key is needed: Authorization: Bearer …', 'missing');
      const admin = adminOf(token);
      if (admin !== undefined) return { actor: `admin:${admin}` };
      await verifyAccessToken(token).catch((error: unknown) => {
        throw error instanceof Unauthenticated ? new Unauthenticated('this is no admin key') : error;
      });
      throw new Forbidden('an access token opens nothing here: an admin key is needed');
    },
  };
}

type IdHeader = 'orgid' | 'userid';

/** The header's value, or else the token's. Throws `Forbidden` where they disagree. */
function headerOrClaim(ctx: Context, name: IdHeader, claimed: string | undefined): string | undefined {
  const sent = headerId(ctx, name);
  if (sent !== undefined && claimed !== undefined && sent !== claimed) {
    const what = name === 'orgid' ? 'organisation' : 'user';
    throw new Forbidden(`the access token is for another ${what} than the header ${name}`);
  }
  return sent ?? claimed;
}

function requiredHeader(ctx: Context, name: IdHeader, claimed: string | undefined): string {
  const sent = headerId(ctx, name);
  if (sent === undefined) throw new InvalidRequest(`the header ${name} is needed`);
  return headerOrClaim(ctx, name, claimed) ?? sent;
}

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Compares in constant time, whatever the keys' lengths. */
function adminKeyLookup(keys: ReadonlyMap<string, string>): (presented: string) => string | undefined {
  const digests = [...keys].map(([name, key]) => ({ name, digest: digest(key) }));
  return (presented) => {
    const wanted = digest(presented);
    return digests.find((each) => timingSafeEqual(each.digest, wanted))?.name;
  };
}
