import { decodeJwt } from 'jose';
import type { ClientScope } from '../../events/client-events.js';
import { Unauthenticated } from '../../http/errors.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { load } from '../../stores/event-store/handle.js';
import type { ActiveApiKey } from '../api-keys/api-key.js';
import { actorOfApiKey } from '../identity/caller.js';
import type { MasterKeys } from '../keys/master-keys.js';
import { mcpPath } from '../protected-resource.js';
import type { AccessTokenBearer, AccessTokens } from '../tokens/access-token.js';
import { foreignRefreshToken, hashOf, type RefreshToken, readRefreshToken } from '../tokens/refresh-token.js';
import { type ActiveSession, expiryOf, type SessionLimits, sessionDecider, sessionStream } from '../tokens/session.js';
import { isWithinGrace } from '../tokens/session-commands.js';

type FoundToken =
  | {
      type: 'access token';
      session: ActiveSession;
      scopes: AccessTokenBearer['scopes'];
      /** Times in seconds since 1970. */
      claims: { iat: number; exp: number; jti: string; aud: string };
    }
  | { type: 'refresh token'; session: ActiveSession; hash: string };

type FindTokenDependencies = {
  store: EventStore;
  masterKeys: MasterKeys;
  accessTokens: Pick<AccessTokens, 'verify'>;
};

/** Undefined if the token was not issued here, has expired, or its session has ended. Throws the store's errors. */
export type FindToken = (token: string) => Promise<FoundToken | undefined>;

export function findTokenWith({ store, masterKeys, accessTokens }: FindTokenDependencies): FindToken {
  async function activeSession(sessionId: string): Promise<ActiveSession | undefined> {
    const { state } = await load(store, sessionStream(sessionId), sessionDecider);
    return state.status === 'active' ? state : undefined;
  }

  async function bearerOf(token: string): Promise<AccessTokenBearer | undefined> {
    try {
      return await accessTokens.verify(token, mcpPath);
    } catch (error) {
      if (error instanceof Unauthenticated) return undefined;
      throw error;
    }
  }

  async function refreshTokenOf(token: RefreshToken): Promise<FoundToken | undefined> {
    const session = await activeSession(token.sessionId);
    return session && { type: 'refresh token', session, hash: hashOf(token) };
  }

  return async (token) => {
    const refresh = readRefreshToken(masterKeys, token);
    if (refresh) return refreshTokenOf(refresh);
    const bearer = await bearerOf(token);
    if (!bearer) return refreshTokenOf(foreignRefreshToken(token));
    const session = await activeSession(bearer.sessionId);
    const { iat = 0, exp = 0, jti = '', aud } = decodeJwt(token);
    return (
      session && { type: 'access token', session, scopes: bearer.scopes, claims: { iat, exp, jti, aud: String(aud) } }
    );
  };
}

type ClientOfToken = { clientId: string; scopes: readonly ClientScope[] };

type IntrospectToken = {
  /** `iss` and `aud` of access tokens. */
  issuer: string;
  /** The client of the session; undefined: it has none, or the client has been removed. */
  client: ClientOfToken | undefined;
  limits: SessionLimits;
  now: Date;
};

/** RFC 7662 §2.2. Without a client, a token has no `client_id` and no `scope`. */
export function introspectToken(found: FoundToken, { issuer, client, limits, now }: IntrospectToken) {
  const { session } = found;
  const common = { active: true, iss: issuer, sub: session.userId, org_id: session.orgId, sid: session.sessionId };
  if (session.clientId !== null && !client) return inactive;
  const ofClient = (scopes: readonly ClientScope[] | null) =>
    client ? { client_id: client.clientId, scope: scopesOf(client, scopes ?? []).join(' ') } : {};
  if (found.type === 'access token') {
    return { ...common, ...ofClient(found.scopes), ...found.claims, token_type: 'Bearer' };
  }
  const isAccepted =
    found.hash === session.currentHash || isWithinGrace({ presentedHash: found.hash, limits, now }, session);
  const expiresAt = expiryOf(session, limits);
  if (!isAccepted || expiresAt <= now.getTime()) return inactive;
  const times = { iat: seconds(Date.parse(session.rotatedAt)), exp: seconds(expiresAt) };
  return { ...common, ...ofClient(session.scopes), ...times };
}

/** No `org_id`: every organisation; no `exp`: does not expire. */
export const introspectApiKey = ({ apiKeyId, orgId, scopes, createdAt, expiresAt }: ActiveApiKey, issuer: string) => ({
  active: true,
  iss: issuer,
  sub: actorOfApiKey(apiKeyId),
  ...(orgId !== null && { org_id: orgId }),
  scope: scopes.join(' '),
  iat: seconds(Date.parse(createdAt)),
  ...(expiresAt !== null && { exp: seconds(Date.parse(expiresAt)) }),
  token_type: 'Bearer',
});

/** RFC 7662 §2.2. */
export const inactive = { active: false } as const;

/** Scopes without those that the client has lost since. */
const scopesOf = ({ scopes }: ClientOfToken, granted: readonly ClientScope[]) =>
  granted.filter((each) => scopes.includes(each));

const seconds = (ms: number): number => Math.floor(ms / 1_000);
