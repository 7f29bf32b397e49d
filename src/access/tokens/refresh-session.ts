import type { ClientScope } from '../../events/client-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle, stateMemory } from '../../stores/event-store/handle.js';
import type { CheckedClient } from '../clients/client-authentication.js';
import { InvalidGrant } from '../errors.js';
import type { MasterKeys } from '../keys/master-keys.js';
import { narrowed, type RequestedResource } from '../protected-resource.js';
import type { AccessTokens } from './access-token.js';
import type { Tokens } from './exchange-code.js';
import { foreignRefreshToken, hashOf, readRefreshToken, successorOf } from './refresh-token.js';
import { type ActiveSession, type Session, type SessionLimits, sessionDecider, sessionStream } from './session.js';
import { type RotateRefresh, rotateRefresh } from './session-commands.js';

type SessionRefreshDependencies = {
  store: EventStore;
  masterKeys: MasterKeys;
  accessTokens: AccessTokens;
  limits: SessionLimits;
  now: () => Date;
};

/** Maximum number of sessions in memory: less than a kilobyte each, so less than 10 MB. */
const maxSessionsInMemory = 10_000;

type RefreshSession = {
  refreshToken: string;
  /** Undefined: no client is registered. */
  presentedBy?: CheckedClient;
  /** Requested scopes, at most those of the session; undefined: all of them. */
  scopes?: readonly string[];
  /** RFC 8707. */
  resource?: RequestedResource;
};

/**
 * Exchanges a refresh token for its successor. Throws `InvalidGrant`, `InvalidClient` and `InvalidScope`; other errors are
 * failures of the service.
 */
export type SessionRefresh = (request: RefreshSession, causeOf: (actor: string) => Cause) => Promise<Tokens>;

export function sessionRefresh({
  store,
  masterKeys,
  accessTokens,
  limits,
  now,
}: SessionRefreshDependencies): SessionRefresh {
  const memory = stateMemory<Session>(maxSessionsInMemory);
  return async ({ refreshToken, presentedBy, scopes, resource }, causeOf) => {
    const presented = readRefreshToken(masterKeys, refreshToken) ?? foreignRefreshToken(refreshToken);
    const { sessionId } = presented;
    const at = now();
    const { current: keyGeneration } = masterKeys;
    const successor = successorOf(masterKeys, keyGeneration, presented);
    const command: RotateRefresh = {
      presentedHash: hashOf(presented),
      successorHash: hashOf(successor),
      keyGeneration,
      presentedBy,
      scopes,
      resource,
      limits,
      now: at,
    };

    const { state } = await handle(
      store,
      sessionStream(sessionId),
      sessionDecider,
      (session) => rotateRefresh(command, session),
      { cause: causeOf(`session:${sessionId}`), now: at, memory },
    );
    if (state.status !== 'active') throw new InvalidGrant('the refresh token was used before: its session is revoked');

    // Within the grace period the successor was derived earlier, possibly with another master key.
    const isOfCurrentKey = state.keyGeneration === keyGeneration;
    const current = isOfCurrentKey ? successor : successorOf(masterKeys, state.keyGeneration, presented);
    const { userId, orgId } = state;
    const granted = grantedScopes(state, command);
    const accessToken = await accessTokens.issue({ ...state, resource: narrowed(state.resource, resource) }, granted);
    return { accessToken, refreshToken: current.text, userId, orgId, scope: granted?.join(' ') };
  };
}

/** The scopes of the next access token: without those that the client has lost since; undefined without a client. */
function grantedScopes(session: ActiveSession, { presentedBy, scopes }: RotateRefresh): ClientScope[] | undefined {
  if (session.scopes === null || !presentedBy || 'refusal' in presentedBy) return undefined;
  const { client } = presentedBy;
  return session.scopes.filter((each) => client.scopes.includes(each) && (scopes?.includes(each) ?? true));
}
