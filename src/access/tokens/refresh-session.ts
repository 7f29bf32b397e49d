import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';
import { stateMemory } from '../../stores/event-store/state-memory.js';
import type { MasterKeys } from '../keys/master-keys.js';
import { InvalidGrant } from '../oauth-errors.js';
import type { AccessTokens } from './access-token.js';
import type { Tokens } from './exchange-code.js';
import { hashOf, readRefreshToken, successorOf } from './refresh-token.js';
import { rotateRefresh } from './rotate-refresh.js';
import { type Session, sessionLifecycle, sessionStream } from './session.js';
import type { SessionLimits } from './session-limits.js';

export type SessionRefreshDependencies = {
  readonly store: EventStore;
  readonly masterKeys: MasterKeys;
  readonly accessTokens: AccessTokens;
  readonly limits: SessionLimits;
  readonly now: () => Date;
};

/** Maximum number of sessions in memory: less than a kilobyte each, so less than 10 MB. */
const maxSessionsInMemory = 10_000;

/** Exchanges a refresh token for its successor. Throws `InvalidGrant`; other errors are failures of the service. */
export type SessionRefresh = (refreshToken: string, causeOf: (actor: string) => Cause) => Promise<Tokens>;

export function sessionRefresh({
  store,
  masterKeys,
  accessTokens,
  limits,
  now,
}: SessionRefreshDependencies): SessionRefresh {
  const memory = stateMemory<Session>(maxSessionsInMemory);
  return async (refreshToken, causeOf) => {
    const presented = readRefreshToken(masterKeys, refreshToken);
    if (!presented) throw new InvalidGrant('the refresh token was not issued by this service');
    const { sessionId } = presented;
    const at = now();
    const { current: keyGeneration } = masterKeys;
    const successor = successorOf(masterKeys, keyGeneration, presented);
    const command = {
      presentedHash: hashOf(presented),
      successorHash: hashOf(successor),
      keyGeneration,
      limits,
      now: at,
    };

    const { state } = await handle(
      store,
      sessionStream(sessionId),
      sessionLifecycle,
      (session) => rotateRefresh(command, session),
      { cause: causeOf(`session:${sessionId}`), now: at, memory },
    );
    if (state.status !== 'active') throw new InvalidGrant('the refresh token was used before: its session is revoked');

    // Within the grace period the successor was derived earlier, possibly with another master key.
    const isOfCurrentKey = state.keyGeneration === keyGeneration;
    const current = isOfCurrentKey ? successor : successorOf(masterKeys, state.keyGeneration, presented);
    const { userId, orgId } = state;
    return { accessToken: await accessTokens.issue(state), refreshToken: current.text, userId, orgId };
  };
}
