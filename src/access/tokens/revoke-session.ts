import type { SessionEvent } from '../../events/session-events.js';
import { type ActiveSession, factsOf, type RevocationReason, type Session } from './session.js';

export type RevokeSession = { readonly reason: RevocationReason; readonly now: Date };

/** Ends a session: its tokens are refused from now on. Changes nothing if it has ended or does not exist. */
export const revokeSession = (command: RevokeSession, session: Session): SessionEvent[] =>
  session.status === 'active' ? [sessionRevoked(command, session)] : [];

export const sessionRevoked = ({ reason, now }: RevokeSession, session: ActiveSession): SessionEvent => ({
  type: 'SessionRevoked',
  data: { ...factsOf(session), reason, revokedAt: now.toISOString() },
});
