import type { AttemptReport } from '../delivery-log.js';

/** `since`: milliseconds since 1970. */
export type Stretch = readonly [since: number, attempts: number, failed: number];

/** Report of an attempt: its status, its class of failure and the beginning of its answer. */
export type FailureReport = Pick<AttemptReport, 'status' | 'error' | 'answer'>;

/** The recent attempts at a listener, as JSON that all instances share. Times are milliseconds since 1970. */
export type ListenerHealth = {
  /** The last five minutes, oldest first. */
  recent: readonly Stretch[];
  /** `openings`: in a row, from 1. `probing`: an attempt decides whether it closes. */
  breaker?: { openings: number; openUntil: number; probing: boolean };
  /** Undefined if the last attempt succeeded. `last`: the failure with the latest outcome. */
  failing?: {
    since: number;
    attempts: number;
    last?: FailureReport & { at: number };
  };
  /** Deliveries per second that the listener accepts, learnt from its refusals. */
  pace?: { perSecond: number; since: number; loweredAt: number };
  /** Time from `Retry-After`. */
  notBefore?: number;
  /** Theoretical arrival time of GCRA (ITU-T I.371). */
  inTimeAt?: number;
};

export const healthy: ListenerHealth = { recent: [] };

export function byClock(health: ListenerHealth, timeOf: (time: number) => number): ListenerHealth {
  const { breaker, failing, pace, notBefore, inTimeAt } = health;
  return {
    ...health,
    recent: health.recent.map(([since, attempts, failed]) => [timeOf(since), attempts, failed]),
    ...(breaker && { breaker: { ...breaker, openUntil: timeOf(breaker.openUntil) } }),
    ...(failing && {
      failing: {
        ...failing,
        since: timeOf(failing.since),
        ...(failing.last && { last: { ...failing.last, at: timeOf(failing.last.at) } }),
      },
    }),
    ...(pace && { pace: { ...pace, since: timeOf(pace.since), loweredAt: timeOf(pace.loweredAt) } }),
    ...(notBefore !== undefined && { notBefore: timeOf(notBefore) }),
    ...(inTimeAt !== undefined && { inTimeAt: timeOf(inTimeAt) }),
  };
}

export type Attempts = {
  succeeded: number;
  failed: number;
  /** A 429 is no sign of a dead listener, so the breaker does not count it. */
  refused: { tooMany: number; unavailable: number };
  notBefore?: number;
  lastFailure?: FailureReport;
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const stretchMs = 30 * second;
const windowMs = 5 * minute;
const opensAt = { attempts: 10, failedShare: 0.7 };
const firstOpenMs = 30 * second;
const maxOpenMs = hour;
const maxAskedMs = 10 * hour;

/**
 * Clocks of instances differ, and calls of one instance overtake each other. A clock set back by less delays a listener
 * by at most this.
 */
const clocksDifferMs = minute;

const slowerBy = 0.7;
const fasterBy = 0.05;
const slowest = 0.1;
const fastEnough = 1_000;
/** Time in which only the first of a burst of refusals counts: the others answered what was sent at the same pace. */
const settlesMs = second;

/** `now`: the end of the last attempt. */
export function afterAttempts(health: ListenerHealth, attempts: Attempts, now: number): ListenerHealth {
  const { succeeded, failed, refused } = attempts;
  const recent = addTo(health.recent, succeeded + failed, failed - refused.tooMany, now);
  const breaker = breakerAfter({ ...health, recent }, attempts, now);
  const failing = failingAfter(health.failing, attempts, now);
  const pace = paceAfter({ ...health, recent }, attempts, now);
  const notBefore = later(health.notBefore, attempts.notBefore, now);
  return {
    recent: health.breaker && !breaker ? [] : recent, // a recovered listener starts afresh
    ...(breaker && { breaker }),
    ...(failing && { failing }),
    ...(pace && { pace }),
    ...(notBefore !== undefined && { notBefore }),
    ...(health.inTimeAt !== undefined && { inTimeAt: health.inTimeAt }),
  };
}

function addTo(recent: readonly Stretch[], attempts: number, failed: number, now: number): readonly Stretch[] {
  const kept = recent.filter(([since]) => since > now - windowMs && !isFromAhead(since, now));
  const last = kept.at(-1);
  if (last && now - last[0] < stretchMs) return [...kept.slice(0, -1), [last[0], last[1] + attempts, last[2] + failed]];
  return [...kept, [now, attempts, failed]];
}

function breakerAfter({ recent, breaker }: ListenerHealth, { succeeded, failed, refused }: Attempts, now: number) {
  if (breaker?.probing) {
    if (succeeded > 0) return undefined;
    if (failed > refused.tooMany) return opened(breaker.openings + 1, now);
    return breaker;
  }
  if (breaker) return breaker; // attempts under way when it opened change nothing
  const attempts = recent.reduce((sum, [, count]) => sum + count, 0);
  const failures = recent.reduce((sum, [, , count]) => sum + count, 0);
  const opens = attempts >= opensAt.attempts && failures >= attempts * opensAt.failedShare;
  return opens && failed > 0 ? opened(1, now) : undefined;
}

const opened = (openings: number, now: number) => ({ openings, openUntil: now + openMs(openings), probing: false });

const openMs = (openings: number): number => Math.min(firstOpenMs * 2 ** (openings - 1), maxOpenMs);

function failingAfter(failing: ListenerHealth['failing'], { succeeded, failed, lastFailure }: Attempts, now: number) {
  if (succeeded > 0) return undefined;
  if (failed === 0) return failing;
  return {
    since: Math.min(failing?.since ?? now, now),
    attempts: (failing?.attempts ?? 0) + failed,
    ...(lastFailure && { last: { ...lastFailure, at: now } }),
  };
}

function paceAfter(
  { recent, pace }: ListenerHealth,
  { succeeded, refused }: Attempts,
  now: number,
): ListenerHealth['pace'] {
  if (refused.tooMany + refused.unavailable > 0) {
    if (pace && !hasPassed(settlesMs, pace.loweredAt, now)) return pace;
    const perSecond = slowerBy * Math.min(pace?.perSecond ?? Number.POSITIVE_INFINITY, rateOf(recent, now));
    return { perSecond: Math.max(slowest, perSecond), since: now, loweredAt: now };
  }
  if (!pace || succeeded === 0 || !hasPassed(settlesMs, pace.since, now)) return pace;
  const seconds = Math.min(10, Math.max(0, now - pace.since) / second);
  const perSecond = pace.perSecond + seconds * Math.max(slowest, pace.perSecond * fasterBy);
  return perSecond >= fastEnough ? undefined : { ...pace, perSecond, since: now };
}

/** Also true if the clock has been set back since. */
const hasPassed = (ms: number, since: number, now: number): boolean => now - since >= ms || isFromAhead(since, now);

/** Not from a clock that is a little ahead. */
export const isFromAhead = (since: number, now: number): boolean => since > now + clocksDifferMs;

/** Rate in the latest stretch, or in the latest two if that is higher. */
function rateOf(recent: readonly Stretch[], now: number): number {
  const [last = [now, 0, 0], before = last] = recent.slice(-2).reverse();
  const perSecond = (attempts: number, since: number) => attempts / Math.max(1, (now - since) / second);
  return Math.max(perSecond(last[1], last[0]), before === last ? 0 : perSecond(last[1] + before[1], before[0]));
}

const later = (one: number | undefined, other: number | undefined, now: number): number | undefined => {
  const latest = Math.max(one ?? 0, other ?? 0);
  return latest > now ? latest : undefined;
};

/** The longer of an open breaker and a `Retry-After`: it prevents all attempts now. */
export function closedBy(
  { breaker, notBefore = 0 }: ListenerHealth,
  now: number,
): { by: 'breaker' | 'retry-after'; until: number } | undefined {
  const breakerUntil = breaker ? openUntil(breaker, now) : 0;
  const askedUntil = notBeyond(notBefore, maxAskedMs, now);
  const until = Math.max(breakerUntil, askedUntil);
  return until > now ? { by: askedUntil < breakerUntil ? 'breaker' : 'retry-after', until } : undefined;
}

/** Up to `requested`; if none, with the time to ask again. */
export type Allowance = { attempts: number; askAgainAt: number | undefined };

/** `perSecond`: the configured limit of the listener; undefined: no limit. */
export function allowance(
  health: ListenerHealth,
  { requested, now, perSecond }: { requested: number; now: number; perSecond: number | undefined },
): Allowance {
  const { breaker } = health;
  const closed = closedBy(health, now);
  if (closed) return { attempts: 0, askAgainAt: closed.until };
  const inTime = attemptsInTime(health, now, perSecond);
  const attempts = Math.min(requested, breaker ? 1 : Number.POSITIVE_INFINITY, inTime.attempts);
  return attempts > 0 ? { attempts, askAgainAt: undefined } : { attempts: 0, askAgainAt: inTime.at };
}

/** True if deliveries are limited by a rate, or one is a probe. */
export const isHeldBack = (health: ListenerHealth, perSecond: number | undefined): boolean =>
  perSecond !== undefined || health.pace !== undefined || health.breaker !== undefined;

export const isUnrestrained = (health: ListenerHealth, perSecond: number | undefined): boolean =>
  !isHeldBack(health, perSecond) && health.notBefore === undefined;

/** A probe without an outcome is repeated after `probeMs`. */
export function afterStart(
  health: ListenerHealth,
  {
    attempts,
    now,
    perSecond,
    probeMs,
  }: {
    attempts: number;
    now: number;
    perSecond: number | undefined;
    probeMs: number;
  },
): ListenerHealth {
  const rate = rateFor(health, perSecond);
  const { breaker } = health;
  return {
    ...health,
    ...(breaker && { breaker: { ...breaker, probing: true, openUntil: now + probeMs } }),
    ...(rate !== undefined && { inTimeAt: inTimeFrom(health, rate, now) + (attempts * second) / rate }),
  };
}

/** Another probe may start at once. */
export function afterRelease(health: ListenerHealth, now: number): ListenerHealth {
  const { breaker } = health;
  return breaker?.probing ? { ...health, breaker: { ...breaker, probing: false, openUntil: now } } : health;
}

const rateFor = ({ pace }: ListenerHealth, perSecond: number | undefined): number | undefined =>
  pace || perSecond !== undefined
    ? Math.min(pace?.perSecond ?? Number.POSITIVE_INFINITY, perSecond ?? Number.POSITIVE_INFINITY)
    : undefined;

/** Attempts that may start at once: a tenth of a second's. */
const burstOf = (rate: number): number => Math.max(1, Math.floor(rate / 10));

/** The theoretical arrival time, limited to what the slowest rate can have made it. */
const inTimeFrom = ({ inTimeAt = 0 }: ListenerHealth, rate: number, now: number): number =>
  Math.max(notBeyond(inTimeAt, (second * burstOf(rate)) / Math.min(rate, slowest), now), now);

const openUntil = (
  { openings, openUntil: until, probing }: NonNullable<ListenerHealth['breaker']>,
  now: number,
): number => notBeyond(until, probing ? maxOpenMs : openMs(openings), now);

/** A time further ahead than it can have been set comes from a clock that was set back since: it is void. */
const notBeyond = (time: number, atMostMs: number, now: number): number =>
  time > now + atMostMs + clocksDifferMs ? now : Math.min(time, now + atMostMs);

function attemptsInTime(health: ListenerHealth, now: number, perSecond: number | undefined) {
  const rate = rateFor(health, perSecond);
  if (rate === undefined) return { attempts: Number.POSITIVE_INFINITY, at: undefined };
  const burst = burstOf(rate);
  const aheadMs = inTimeFrom(health, rate, now) - now;
  const attempts = Math.floor(burst - (aheadMs * rate) / second + 1e-9);
  return { attempts: Math.max(0, attempts), at: Math.ceil(now + aheadMs - ((burst - 1) * second) / rate) };
}
