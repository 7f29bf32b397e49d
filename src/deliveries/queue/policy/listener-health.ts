/** Attempts of a stretch of time: when it began (milliseconds since 1970), how many there were, how many of them failed. */
export type Stretch = readonly [since: number, attempts: number, failed: number];

/**
 * How a listener has been doing lately: what its circuit breaker, its pace and its pausing are decided by. JSON; the queue keeps
 * it for all instances. Times are milliseconds since 1970.
 */
export type ListenerHealth = {
  /** The last five minutes, oldest first. */
  readonly recent: readonly Stretch[];
  /** Undefined while it is closed. `openings`: in a row, from 1. `probing`: one attempt is under way to see whether it may close. */
  readonly breaker?: { readonly openings: number; readonly openUntil: number; readonly probing: boolean };
  /** Undefined where the last attempt succeeded. */
  readonly failing?: { readonly since: number; readonly attempts: number };
  /**
   * How many a second the listener takes, as it has been found out by what it refused; undefined: as many as there are. When it
   * was changed last, and when it was lowered last.
   */
  readonly pace?: { readonly perSecond: number; readonly since: number; readonly loweredAt: number };
  /** It has asked to be left alone until then (`Retry-After`). */
  readonly notBefore?: number;
  /** Where a rate is kept to: when the next attempt would be in time (the theoretical arrival time of GCRA, ITU-T I.371). */
  readonly inTimeAt?: number;
};

export const healthy: ListenerHealth = { recent: [] };

/** The same health in another clock's time: `timeOf` converts a time. */
export function byClock(health: ListenerHealth, timeOf: (time: number) => number): ListenerHealth {
  const { breaker, failing, pace, notBefore, inTimeAt } = health;
  return {
    ...health,
    recent: health.recent.map(([since, attempts, failed]) => [timeOf(since), attempts, failed]),
    ...(breaker && { breaker: { ...breaker, openUntil: timeOf(breaker.openUntil) } }),
    ...(failing && { failing: { ...failing, since: timeOf(failing.since) } }),
    ...(pace && { pace: { ...pace, since: timeOf(pace.since), loweredAt: timeOf(pace.loweredAt) } }),
    ...(notBefore !== undefined && { notBefore: timeOf(notBefore) }),
    ...(inTimeAt !== undefined && { inTimeAt: timeOf(inTimeAt) }),
  };
}

/** What came of attempts to one listener. */
export type Attempts = {
  readonly succeeded: number;
  /** Failures that say something about the listener; what was our own fault is not among them. */
  readonly failed: number;
  /** Of those, answered 429 or 503: it wants fewer. A 429 is no sign of a dead listener, so the breaker does not count it. */
  readonly refused: { readonly tooMany: number; readonly unavailable: number };
  /** The latest that an answer's `Retry-After` asked for. */
  readonly notBefore?: number | undefined;
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const stretchMs = 30 * second;
const windowMs = 5 * minute;
/** Minimum number of attempts in the window, and minimum share of failures, for the breaker to open. */
const opensAt = { attempts: 10, failedShare: 0.7 };
const firstOpenMs = 30 * second;
const maxOpenMs = hour;
/** Maximum wait that a `Retry-After` may ask for. */
const maxAskedMs = 10 * hour;

/**
 * A time holds for a clock that is as far behind the one that it was told by: the clocks of instances differ, and the calls
 * of one overtake each other. One that is set back by less keeps no listener waiting for longer by more than this.
 */
const clocksDifferMs = minute;

/** What a refusal leaves of the pace, and by how much of it a second without one raises it. */
const slowerBy = 0.7;
const fasterBy = 0.05;
const slowest = 0.1;
/** Deliveries per second above which the pace limit of a listener is dropped. */
const fastEnough = 1_000;
/** Of a burst of refusals the first one counts: the others answered what was sent at the same pace. */
const settlesMs = second;

/** What is known after these attempts, of which the last ended at `now`. */
export function afterAttempts(health: ListenerHealth, attempts: Attempts, now: number): ListenerHealth {
  const { succeeded, failed, refused } = attempts;
  const recent = addTo(health.recent, succeeded + failed, failed - refused.tooMany, now);
  const breaker = breakerAfter({ ...health, recent }, attempts, now);
  const failing = failingAfter(health.failing, attempts, now);
  const pace = paceAfter({ ...health, recent }, attempts, now);
  const notBefore = later(health.notBefore, attempts.notBefore, now);
  return {
    recent: health.breaker && !breaker ? [] : recent, // what has recovered begins anew
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
  if (breaker) return breaker; // what was under way when it opened changes nothing
  const attempts = recent.reduce((sum, [, count]) => sum + count, 0);
  const failures = recent.reduce((sum, [, , count]) => sum + count, 0);
  const opens = attempts >= opensAt.attempts && failures >= attempts * opensAt.failedShare;
  return opens && failed > 0 ? opened(1, now) : undefined;
}

const opened = (openings: number, now: number) => ({ openings, openUntil: now + openMs(openings), probing: false });

const openMs = (openings: number): number => Math.min(firstOpenMs * 2 ** (openings - 1), maxOpenMs);

function failingAfter(failing: ListenerHealth['failing'], { succeeded, failed }: Attempts, now: number) {
  if (succeeded > 0) return undefined;
  if (failed === 0) return failing;
  return { since: Math.min(failing?.since ?? now, now), attempts: (failing?.attempts ?? 0) + failed };
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

/** Also where the clock has been set back since. */
const hasPassed = (ms: number, since: number, now: number): boolean => now - since >= ms || isFromAhead(since, now);

/** What was noted by a clock that has been set back since, and not just by one that is a little ahead. */
export const isFromAhead = (since: number, now: number): boolean => since > now + clocksDifferMs;

/** How many a second were attempted: in the latest stretch, or in the latest two where that one has only just begun. */
function rateOf(recent: readonly Stretch[], now: number): number {
  const [last = [now, 0, 0], before = last] = recent.slice(-2).reverse();
  const perSecond = (attempts: number, since: number) => attempts / Math.max(1, (now - since) / second);
  return Math.max(perSecond(last[1], last[0]), before === last ? 0 : perSecond(last[1] + before[1], before[0]));
}

const later = (one: number | undefined, other: number | undefined, now: number): number | undefined => {
  const latest = Math.max(one ?? 0, other ?? 0);
  return latest > now ? latest : undefined;
};

/** What keeps all attempts from a listener now, and until when: its open breaker or what it has asked for; whichever lasts longer. */
export function closedBy(
  { breaker, notBefore = 0 }: ListenerHealth,
  now: number,
): { readonly by: 'breaker' | 'retry-after'; readonly until: number } | undefined {
  const breakerUntil = breaker ? openUntil(breaker, now) : 0;
  const askedUntil = notBeyond(notBefore, maxAskedMs, now);
  const until = Math.max(breakerUntil, askedUntil);
  return until > now ? { by: askedUntil < breakerUntil ? 'breaker' : 'retry-after', until } : undefined;
}

/** How many attempts may start now, of `wanted`; where none may, when to ask again. */
export type Allowance = { readonly attempts: number; readonly askAgainAt: number | undefined };

/** `perSecond`: the most that is configured for the listener; undefined: no limit. */
export function allowance(
  health: ListenerHealth,
  { wanted, now, perSecond }: { readonly wanted: number; readonly now: number; readonly perSecond: number | undefined },
): Allowance {
  const { breaker } = health;
  const closed = closedBy(health, now);
  if (closed) return { attempts: 0, askAgainAt: closed.until };
  const inTime = attemptsInTime(health, now, perSecond);
  const attempts = Math.min(wanted, breaker ? 1 : Number.POSITIVE_INFINITY, inTime.attempts);
  return attempts > 0 ? { attempts, askAgainAt: undefined } : { attempts: 0, askAgainAt: inTime.at };
}

/** Whether anything has to be remembered of what starts: a rate that is kept to, or a probe. */
export const isHeldBack = (health: ListenerHealth, perSecond: number | undefined): boolean =>
  perSecond !== undefined || health.pace !== undefined || health.breaker !== undefined;

/** Whether attempts may start as they come, as many as there are. */
export const isUnrestrained = (health: ListenerHealth, perSecond: number | undefined): boolean =>
  !isHeldBack(health, perSecond) && health.notBefore === undefined;

/** The health after `attempts` were allowed to start. A probe without an outcome is repeated after `probeMs`. */
export function afterStart(
  health: ListenerHealth,
  {
    attempts,
    now,
    perSecond,
    probeMs,
  }: {
    readonly attempts: number;
    readonly now: number;
    readonly perSecond: number | undefined;
    readonly probeMs: number;
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

/** What is known after an attempt was given back unmade: where it was the probe, another may be made at once. */
export function afterRelease(health: ListenerHealth, now: number): ListenerHealth {
  const { breaker } = health;
  return breaker?.probing ? { ...health, breaker: { ...breaker, probing: false, openUntil: now } } : health;
}

const rateFor = ({ pace }: ListenerHealth, perSecond: number | undefined): number | undefined =>
  pace || perSecond !== undefined
    ? Math.min(pace?.perSecond ?? Number.POSITIVE_INFINITY, perSecond ?? Number.POSITIVE_INFINITY)
    : undefined;

/** A tenth of a second's worth may start at once. */
const burstOf = (rate: number): number => Math.max(1, Math.floor(rate / 10));

/** When the next attempt would be in time. A rate that was the slowest has put it so far ahead at most. */
const inTimeFrom = ({ inTimeAt = 0 }: ListenerHealth, rate: number, now: number): number =>
  Math.max(notBeyond(inTimeAt, (second * burstOf(rate)) / Math.min(rate, slowest), now), now);

const openUntil = (
  { openings, openUntil: until, probing }: NonNullable<ListenerHealth['breaker']>,
  now: number,
): number => notBeyond(until, probing ? maxOpenMs : openMs(openings), now);

/** What lies further ahead than it can have been put comes from a clock that has been set back since: it holds no longer. */
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
