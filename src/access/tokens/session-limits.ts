import type { Session, SessionExpiry } from './session.js';

/** Durations in milliseconds. */
export type SessionLimits = SessionExpiry & {
  /** For how long the predecessor of the current refresh token is accepted, after lost responses and concurrent requests. */
  readonly refreshGraceMs: number;
};

/** Why a session has ended: it was revoked, or one of the limits is over; undefined for a session that is in use. */
export function endOfSession(session: Session, limits: SessionExpiry, now: Date): string | undefined {
  if (session.status === 'none') return 'the session does not exist';
  if (session.status === 'revoked') return `the session was revoked: ${session.reason}`;
  if (elapsedMs(session.issuedAt, now) >= limits.sessionLifetimeMs)
    return 'the maximum lifetime of the session is over';
  if (elapsedMs(session.rotatedAt, now) >= limits.refreshIdleMs) return 'the session was idle for too long';
  return undefined;
}

/** Milliseconds since a time of a session event. */
export const elapsedMs = (since: string, now: Date): number => now.getTime() - Date.parse(since);
