import { LRUCache } from 'lru-cache';
import type { Client, ClientScope } from '../../events/client-events.js';
import { keyedMutex } from '../../kernel/keyed-mutex.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { allowsRedirect } from '../clients/client.js';
import { InvalidGrant, InvalidScope, OAuthError } from '../errors.js';
import type { MasterKeys } from '../keys/master-keys.js';
import type { ProtectedResource } from '../protected-resource.js';
import { isReserved } from '../reserved-organisation.js';
import type { CodeVerification, SignedIn } from '../sign-in/codes.js';
import type { AccessTokens } from './access-token.js';
import { type CodeRequest, firstRefreshToken, hashOf } from './refresh-token.js';
import { type RefreshGrace, type Session, sessionDecider, sessionIdOf, sessionStream } from './session.js';
import { type IssueTokens, issueTokens } from './session-commands.js';

export type Tokens = {
  accessToken: string;
  refreshToken: string;
  userId: string;
  orgId: string;
  /** Space-delimited; undefined without a client. */
  scope: string | undefined;
};

/** `redirectUri`: as the client sent it; not checked without a client. */
type ExchangeCode = CodeRequest & {
  /** The authenticated client; undefined: no client is registered. */
  client?: Client;
  /** RFC 8707: of the request, for a code with the given `resource`. Throws `InvalidTarget`. */
  resourceFor?: (ofCode: string | undefined) => ProtectedResource;
};

type BoundCode = Pick<IssueTokens, 'userId' | 'orgId' | 'clientId' | 'scopes' | 'resource' | 'isAuthenticated'>;

type CodeExchangeDependencies = {
  store: EventStore;
  codes: CodeVerification;
  masterKeys: MasterKeys;
  accessTokens: AccessTokens;
  limits: RefreshGrace;
  now: () => Date;
};

/**
 * Exchanges a code for the first tokens of its session, which is bound to the client. Throws `InvalidGrant` and `InvalidScope`;
 * other errors are failures of the service.
 */
export type CodeExchange = (request: ExchangeCode, causeOf: (actor: string) => Cause) => Promise<Tokens>;

export function codeExchange({
  store,
  codes,
  masterKeys,
  accessTokens,
  limits,
  now,
}: CodeExchangeDependencies): CodeExchange {
  const oneAtATime = keyedMutex();
  const interrupted = interruptedExchanges(now);

  async function exchange(request: CodeRequest, bound: BoundCode, sessionId: string, cause: Cause): Promise<Tokens> {
    const { userId, orgId } = bound;
    const tokenUnder = (generation: string) => firstRefreshToken(masterKeys, generation, sessionId, request);
    const startedAt = now();
    const { current: keyGeneration } = masterKeys;
    const refreshTokenHash = hashOf(tokenUnder(keyGeneration));
    const resumes = interrupted.has(sessionId);
    const command: IssueTokens = {
      ...bound,
      sessionId,
      keyGeneration,
      now: startedAt,
      refreshTokenHash,
      resumes,
      limits,
    };
    let isFirstUse = false;
    const decide = (session: Session) => {
      isFirstUse = session.status === 'none' || command.resumes;
      return issueTokens(command, session);
    };
    try {
      const { state } = await handle(store, sessionStream(sessionId), sessionDecider, decide, {
        cause,
        now: startedAt,
      });
      if (state.status !== 'active') throw new InvalidGrant('the code has been used before');
      const refreshToken = tokenUnder(state.keyGeneration);
      // Another redirect URI or verifier, or another encoding of the code, derives a token that the session does not know.
      if (hashOf(refreshToken) !== state.currentHash)
        throw new InvalidGrant('the code was used before, by a request that differs from this one');
      const accessToken = await accessTokens.issue(state);
      interrupted.delete(sessionId);
      return { accessToken, refreshToken: refreshToken.text, userId, orgId, scope: state.scopes?.join(' ') };
    } catch (error) {
      if (isFirstUse && !(error instanceof OAuthError)) interrupted.add(sessionId);
      throw error;
    }
  }

  return async ({ client, resourceFor, ...request }, causeOf) => {
    const { code, codeVerifier, redirectUri } = request;
    const signedIn = await codes.verify(code, { codeVerifier });
    if (!client && signedIn.needsClient) throw new InvalidGrant('the client of the code has been removed');
    const scopes = client ? authoriseClient({ client, code: signedIn, redirectUri }) : null;
    const resource = resourceFor?.(signedIn.resource);
    const { userId, orgId } = signedIn;
    if (isReserved(orgId)) throw new InvalidGrant('the organisation of the code is reserved for operators');
    const isAuthenticated = client?.type === 'confidential';
    const bound: BoundCode = { userId, orgId, clientId: client?.clientId ?? null, scopes, resource, isAuthenticated };
    const sessionId = sessionIdOf(signedIn);
    const cause = causeOf(`user:${userId}`);
    // A second use waits until the first one has ended, so that it sees its result.
    return oneAtATime(sessionId, () => exchange(request, bound, sessionId, cause));
  };
}

export type PresentedCode = {
  client: Client;
  code: Pick<SignedIn, 'clientId' | 'redirectUri' | 'scope' | 'hadChallenge'>;
  redirectUri: string | undefined;
};

/**
 * Throws `InvalidGrant` unless the code is for this client and redirect URI (RFC 6749 §4.1.3), with a challenge if the
 * client is public (RFC 9700 §2.1.1), and `InvalidScope` if no scope is left.
 */
export function authoriseClient({ client, code, redirectUri }: PresentedCode): ClientScope[] {
  if (code.clientId === undefined)
    throw new InvalidGrant('the code names no client: its login page has to set client_id');
  if (code.clientId !== client.clientId) throw new InvalidGrant('the code was issued to another client');
  if (code.redirectUri === undefined) {
    throw new InvalidGrant('the code names no redirect URI: its login page has to set redirect_uri');
  }
  if (!allowsRedirect(client, code.redirectUri)) {
    throw new InvalidGrant('the redirect URI of the code is not one of the client');
  }
  if (redirectUri !== undefined && redirectUri !== code.redirectUri) {
    throw new InvalidGrant('the redirect_uri differs from the one of the code');
  }
  if (client.type === 'public' && !code.hadChallenge) {
    throw new InvalidGrant('a code of a public client needs a code_challenge (S256)');
  }
  const requested = code.scope?.split(' ').filter((each) => each !== '') ?? [];
  const granted = requested.length === 0 ? client.scopes : client.scopes.filter((each) => requested.includes(each));
  if (granted.length === 0) throw new InvalidScope('the client may have none of the scopes that the code asks for');
  return [...granted];
}

/** The maximum lifetime of a code, with the clock tolerance at both ends: afterwards the code is refused anyway. */
const retentionMs = 12 * 60_000;
const maxSessions = 10_000;

/**
 * Sessions whose code exchange failed in this process for a reason of the service, so that the code may be used again.
 * Bounded: beyond the limit the oldest is dropped, and its user has to sign in again.
 */
export function interruptedExchanges(now: () => Date) {
  const until = new LRUCache<string, number>({ max: maxSessions });
  return {
    add: (sessionId: string) => void until.set(sessionId, now().getTime() + retentionMs),
    has: (sessionId: string) => (until.peek(sessionId) ?? 0) > now().getTime(),
    delete: (sessionId: string) => void until.delete(sessionId),
  };
}
