import { randomUUID } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { type SessionFacts, sessionLifecycle, sessionStream } from './session.js';

export type AccessTokenSettings = {
  /** `iss`, and `aud` too: our access tokens are meant for this very service. */
  readonly issuer: string;
  readonly ttlMs: number;
  readonly signingKeys: SigningKeys;
  readonly store: EventStore;
  readonly now: () => Date;
};

/** What an access token says of its bearer. */
export type AccessTokenBearer = { readonly userId: string; readonly orgId: string; readonly sessionId: string };

export type AccessTokens = {
  /** A JWT as RFC 9068 has it, with `org_id` and `sid` beside. */
  readonly issue: (session: SessionFacts) => Promise<string>;
  /** `expires_in`. */
  readonly ttlSeconds: number;
  /**
   * Its signature and expiry, and that its session has not been revoked, so that revoking works at once.
   * Throws `Unauthenticated`, and what the store throws.
   */
  readonly verify: (token: string) => Promise<AccessTokenBearer>;
};

/** RFC 9068 §2.1: no other JWT, a sign-in code least of all, can be taken for an access token. */
const type = 'at+jwt';

const claimsSchema = z.object({ sub: z.string(), org_id: z.string(), sid: z.uuid() });

export function accessTokens({ issuer, ttlMs, signingKeys, store, now }: AccessTokenSettings): AccessTokens {
  const ttlSeconds = Math.ceil(ttlMs / 1_000);

  async function claimsOf(token: string): Promise<z.output<typeof claimsSchema>> {
    try {
      const { payload } = await jwtVerify(token, signingKeys.find, {
        issuer,
        ...{ audience: issuer, typ: type, algorithms: [...signingKeys.algorithms] },
        ...{ currentDate: now(), requiredClaims: ['exp', 'sub', 'org_id', 'sid'] },
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

  return {
    ttlSeconds,

    issue({ userId, orgId, sessionId }) {
      const issuedAt = Math.floor(now().getTime() / 1_000);
      const lifetime = { iat: issuedAt, exp: issuedAt + ttlSeconds, jti: randomUUID() };
      return signingKeys.sign(
        { iss: issuer, aud: issuer, sub: userId, org_id: orgId, sid: sessionId, ...lifetime },
        type,
      );
    },

    async verify(token) {
      const { sub: userId, org_id: orgId, sid: sessionId } = await claimsOf(token);
      const { state } = await load(store, sessionStream(sessionId), sessionLifecycle);
      if (state.status !== 'active') throw new Unauthenticated('the session of this access token has been revoked');
      return { userId, orgId, sessionId };
    },
  };
}
