import { keyedMutex } from '../../kernel/keyed-mutex.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import type { Client } from '../clients/client.js';
import type { MasterKeys } from '../keys/master-keys.js';
import { InvalidGrant, OAuthError } from '../oauth-errors.js';
import type { CodeVerification } from '../sign-in/code-verification.js';
import type { AccessTokens } from './access-token.js';
import { authoriseClient } from './authorise-client.js';
import { interruptedExchanges } from './interrupted-exchanges.js';
import { type IssueTokens, issueTokens } from './issue-tokens.js';
import { type CodeRequest, firstRefreshToken, hashOf } from './refresh-token.js';
import { type Session, sessionDecider, sessionIdOf, sessionStream } from './session.js';
import type { SessionLimits } from './session-limits.js';

export type Tokens = {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly userId: string;
  readonly orgId: string;
  /** Space-delimited; undefined without a client. */
  readonly scope: string | undefined;
};

/** `redirectUri`: as the client sent it; not checked without a client. */
type ExchangeCode = CodeRequest & {
  /** The authenticated client; undefined: no client is registered. */
  readonly client?: Client | undefined;
};

type BoundCode = Pick<IssueTokens, 'userId' | 'orgId' | 'clientId' | 'scopes' | 'isAuthenticated'>;

export type CodeExchangeDependencies = {
  readonly store: EventStore;
  readonly codes: CodeVerification;
  readonly masterKeys: MasterKeys;
  readonly accessTokens: AccessTokens;
  readonly limits: Pick<SessionLimits, 'refreshGraceMs'>;
  readonly now: () => Date;
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
    const { userId, orgId, clientId, scopes, isAuthenticated } = bound;
    const tokenUnder = (generation: string) => firstRefreshToken(masterKeys, generation, sessionId, request);
    const startedAt = now();
    const { current: keyGeneration } = masterKeys;
    const command: IssueTokens = {
      sessionId,
      orgId,
      userId,
      clientId,
      scopes,
      keyGeneration,
      now: startedAt,
      refreshTokenHash: hashOf(tokenUnder(keyGeneration)),
      resumes: interrupted.has(sessionId),
      isAuthenticated,
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

  return async ({ client, ...request }, causeOf) => {
    const { code, codeVerifier, redirectUri } = request;
    const signedIn = await codes.verify(code, { codeVerifier });
    if (!client && signedIn.needsClient) throw new InvalidGrant('the client of the code has been removed');
    const scopes = client ? authoriseClient({ client, code: signedIn, redirectUri }) : null;
    const { userId, orgId } = signedIn;
    const isAuthenticated = client?.type === 'confidential';
    const bound: BoundCode = { userId, orgId, clientId: client?.clientId ?? null, scopes, isAuthenticated };
    const sessionId = sessionIdOf(signedIn);
    const cause = causeOf(`user:${userId}`);
    // A second use waits until the first one has ended, so that it sees its result.
    return oneAtATime(sessionId, () => exchange(request, bound, sessionId, cause));
  };
}
