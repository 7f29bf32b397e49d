import { actorOfApiKey } from '../api-key-grant.js';
import type { ActiveApiKey } from '../api-keys/api-key.js';
import type { Client, ClientScope } from '../clients/client.js';
import { isWithinGrace } from '../tokens/rotate-refresh.js';
import { expiryOf } from '../tokens/session.js';
import type { SessionLimits } from '../tokens/session-limits.js';
import type { FoundToken } from './find-token.js';

export type IntrospectToken = {
  /** `iss` and `aud` of access tokens. */
  readonly issuer: string;
  /** The client of the session; undefined: it has none, or the client has been removed. */
  readonly client: Client | undefined;
  readonly limits: SessionLimits;
  readonly now: Date;
};

/**
 * The state of a token of an active session (RFC 7662 §2.2). A refresh token has no `token_type`; without a client, a token
 * has no `client_id` and no `scope`: it is good for everything.
 */
export function introspectToken(found: FoundToken, { issuer, client, limits, now }: IntrospectToken) {
  const { session } = found;
  const common = { active: true, iss: issuer, sub: session.userId, org_id: session.orgId, sid: session.sessionId };
  if (session.clientId !== null && !client) return inactive;
  const ofClient = (scopes: readonly ClientScope[] | null) =>
    client ? { client_id: client.clientId, scope: scopesOf(client, scopes ?? []).join(' ') } : {};
  if (found.type === 'access token') {
    return { ...common, ...ofClient(found.scopes), ...found.claims, token_type: 'Bearer', aud: issuer };
  }
  const isAccepted =
    found.hash === session.currentHash || isWithinGrace({ presentedHash: found.hash, limits, now }, session);
  const expiresAt = expiryOf(session, limits);
  if (!isAccepted || expiresAt <= now.getTime()) return inactive;
  const times = { iat: seconds(Date.parse(session.rotatedAt)), exp: seconds(expiresAt) };
  return { ...common, ...ofClient(session.scopes), ...times };
}

/** What a valid API key is for. Without `org_id` it is for every organisation, and without `exp` it does not expire. */
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

/** All that RFC 7662 §2.2 allows about a token that is unknown, not valid, or not for the caller to know. */
export const inactive = { active: false } as const;

/** Without those that the client has lost since. */
const scopesOf = ({ scopes }: Client, granted: readonly ClientScope[]) =>
  granted.filter((each) => scopes.includes(each));

const seconds = (ms: number): number => Math.floor(ms / 1_000);
