import { randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { ClientScope } from '../../events/client-events.js';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { ClientScopes } from '../clients/client-registry.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { mcpPath, type ProtectedResource } from '../protected-resource.js';
import { hashOfSecret } from '../secret-hash.js';
import { endOfSession, type SessionFacts, type SessionLimits, sessionDecider, sessionStream } from './session.js';

type AccessTokenSettings = {
  /** `iss` and also `aud`: access tokens are meant for this service, or for one resource of it, whose path follows. */
  issuer: string;
  ttlMs: number;
  limits: SessionLimits;
  signingKeys: SigningKeys;
  store: EventStore;
  clients: ClientScopes;
  now: () => Date;
};

export type AccessTokenBearer = {
  userId: string;
  orgId: string;
  sessionId: string;
  clientId: string | null;
  /** Scopes without those that the client has lost since; null: all, for a session without a client. */
  scopes: readonly ClientScope[] | null;
};

export type TokenLifetime = { ttlSeconds: number };

export type AccessTokens = TokenLifetime & {
  /** RFC 9068, with `org_id` and `sid`; `client_id` and `scope` for a session with a client. */
  issue: (session: SessionFacts, scopes?: readonly ClientScope[]) => Promise<string>;
  /**
   * Checks also that the session has not ended, is of the same user and organisation (a signing key alone gives no
   * access), and that its client exists. A token for `resource` alone is accepted for it too.
   * Throws `Unauthenticated`, and the store's errors.
   */
  verify: (token: string, resource?: ProtectedResource) => Promise<AccessTokenBearer>;
};

/** RFC 9068 §2.1: distinguishes access tokens from other JWTs, such as sign-in codes. */
const tokenType = 'at+jwt';

const claimsSchema = z.object({
  aud: z.string(),
  sub: z.string(),
  org_id: z.string(),
  sid: z.uuid(),
  scope: z.string().optional(),
  exp: z.number(),
});

type Claims = z.output<typeof claimsSchema>;

export function accessTokens({
  issuer,
  ttlMs,
  limits,
  signingKeys,
  store,
  clients,
  now,
}: AccessTokenSettings): AccessTokens {
  const ttlSeconds = Math.ceil(ttlMs / 1_000);

  const audienceOf = (resource: ProtectedResource) => `${issuer}${resource ?? ''}`;
  const verified = verifiedTokens<Claims>(() => signingKeys.publicKeys);

  async function claimsOf(token: string): Promise<Claims> {
    const keys = signingKeys.publicKeys;
    const known = verified.get(token);
    if (known && known.exp > Math.floor(now().getTime() / 1_000)) return known;
    const claims = await verifiedClaims(token);
    if (keys === signingKeys.publicKeys) verified.set(token, claims); // else it may have been verified with a key that was removed
    return claims;
  }

  async function verifiedClaims(token: string): Promise<Claims> {
    try {
      const { payload } = await jwtVerify(token, signingKeys.find, {
        issuer,
        audience: [issuer, audienceOf(mcpPath)],
        typ: tokenType,
        algorithms: [...signingKeys.algorithms],
        currentDate: now(),
        requiredClaims: ['exp', 'sub', 'org_id', 'sid'],
      });
      return claimsSchema.parse(payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new Unauthenticated('the access token has expired');
      if (error instanceof errors.JOSEError || error instanceof z.ZodError) {
        throw new Unauthenticated('the access token is not valid');
      }
      throw error;
    }
  }

  async function scopesOf({ clientId, scopes }: SessionFacts, claimed: string | undefined) {
    if (clientId === null) return null;
    const allowed = await clients.scopesOf(clientId);
    if (!allowed) throw new Unauthenticated('the client of this access token has been removed');
    const granted: readonly string[] = claimed?.split(' ') ?? scopes ?? [];
    return allowed.filter((scope) => granted.includes(scope));
  }

  return {
    ttlSeconds,

    issue({ userId, orgId, sessionId, clientId, resource, scopes: all }, scopes = all ?? []) {
      const issuedAt = Math.floor(now().getTime() / 1_000);
      const lifetime = { iat: issuedAt, exp: issuedAt + ttlSeconds, jti: randomUUID() };
      const ofClient = clientId === null ? undefined : { client_id: clientId, scope: scopes.join(' ') };
      return signingKeys.sign(
        {
          iss: issuer,
          aud: audienceOf(resource),
          sub: userId,
          org_id: orgId,
          sid: sessionId,
          ...ofClient,
          ...lifetime,
        },
        tokenType,
      );
    },

    async verify(token, resource) {
      const { aud, sub: userId, org_id: orgId, sid: sessionId, scope } = await claimsOf(token);
      if (aud !== issuer && aud !== audienceOf(resource))
        throw new Unauthenticated('the access token is for another resource');
      const { state } = await load(store, sessionStream(sessionId), sessionDecider);
      if (state.status !== 'active' || endOfSession(state, limits, now()) !== undefined)
        throw new Unauthenticated('the session of this access token has ended');
      if (state.userId !== userId || state.orgId !== orgId) throw new Unauthenticated('the access token is not valid');
      return { userId, orgId, sessionId, clientId: state.clientId, scopes: await scopesOf(state, scope) };
    },
  };
}

const maxTokens = 10_000;

/**
 * Claims of tokens whose signatures have been verified, by the hash of the token; the rest has to be checked each time.
 * Another object from `keysInUse` forgets all tokens.
 */
export function verifiedTokens<Claims extends object>(keysInUse: () => object) {
  const known = new LRUCache<string, Claims>({ max: maxTokens });
  let keys = keysInUse();

  function current(): LRUCache<string, Claims> {
    const now = keysInUse();
    if (now !== keys) known.clear();
    keys = now;
    return known;
  }

  return {
    get: (token: string) => current().get(hashOfSecret(token)),
    set: (token: string, claims: Claims) => void current().set(hashOfSecret(token), claims),
  };
}
