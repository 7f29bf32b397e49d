import { decodeJwt } from 'jose';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { MasterKeys } from '../keys/master-keys.js';
import type { AccessTokenBearer, AccessTokens } from '../tokens/access-token.js';
import { hashOf, readRefreshToken } from '../tokens/refresh-token.js';
import { type ActiveSession, sessionDecider, sessionStream } from '../tokens/session.js';

/** A token of an active session. */
export type FoundToken =
  | {
      readonly type: 'access token';
      readonly session: ActiveSession;
      readonly scopes: AccessTokenBearer['scopes'];
      /** Times in seconds since 1970. */
      readonly claims: { readonly iat: number; readonly exp: number; readonly jti: string };
    }
  | { readonly type: 'refresh token'; readonly session: ActiveSession; readonly hash: string };

export type FindTokenDependencies = {
  readonly store: EventStore;
  readonly masterKeys: MasterKeys;
  readonly accessTokens: Pick<AccessTokens, 'verify'>;
};

/**
 * Finds the session of an access token or of a refresh token, also of one that has been rotated. Undefined if the service did not
 * issue it, it has expired, or its session has ended. Throws the store's errors.
 */
export type FindToken = (token: string) => Promise<FoundToken | undefined>;

export function tokenFinder({ store, masterKeys, accessTokens }: FindTokenDependencies): FindToken {
  async function activeSession(sessionId: string): Promise<ActiveSession | undefined> {
    const { state } = await load(store, sessionStream(sessionId), sessionDecider);
    return state.status === 'active' ? state : undefined;
  }

  /** Undefined if the token is not valid. */
  async function bearerOf(token: string): Promise<AccessTokenBearer | undefined> {
    try {
      return await accessTokens.verify(token);
    } catch (error) {
      if (error instanceof Unauthenticated) return undefined;
      throw error;
    }
  }

  return async (token) => {
    const refresh = readRefreshToken(masterKeys, token);
    if (refresh) {
      const session = await activeSession(refresh.sessionId);
      return session && { type: 'refresh token', session, hash: hashOf(refresh) };
    }
    const bearer = await bearerOf(token);
    const session = bearer && (await activeSession(bearer.sessionId));
    const { iat = 0, exp = 0, jti = '' } = bearer ? decodeJwt(token) : {}; // the service sets all three
    return session && { type: 'access token', session, scopes: bearer.scopes, claims: { iat, exp, jti } };
  };
}
