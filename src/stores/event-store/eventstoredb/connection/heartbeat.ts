import { setTimeout as pause } from 'node:timers/promises';
import { everyInterval } from '../../../../kernel/shared-interval.js';

export type HeartbeatOptions<Link> = {
  /** Rejects if there is no connection. */
  link: () => Promise<Link>;
  /** Something waits for an answer; `unheardMs` is the time since the server was heard. */
  isNeeded: (unheardMs: number) => boolean;
  /** The server answers a call within this time, or the call fails. */
  ask: (limitMs: number) => Promise<boolean>;
  /** `isFirst`: it had answered before. */
  onSilence: (link: Link, isFirst: boolean) => Promise<void>;
  callMs: number;
};

export type Heartbeat = {
  heard: () => void;
  start: () => void;
  stop: () => void;
};

/** Longest pause in multiples of the minimum, while the server does not answer. */
const longestPause = 8;
/** Part of a deadline within which nearly all calls are answered: they begin with the same ticks as heartbeats do. */
const answered = 1 / 40;

/**
 * Sends a heartbeat every half deadline while something waits and nothing comes, and reports two deadlines of silence. A
 * frozen node keeps its connections open; gRPC detects it only during calls, after the keepalive timeout.
 */
export function heartbeat<Link>({ link, isNeeded, ask, onSilence, callMs }: HeartbeatOptions<Link>): Heartbeat {
  const shortestPauseMs = callMs / 2;
  let stopTicking: (() => void) | undefined;
  let isStopped = false;
  let heardAt = performance.now();
  let isBeating = false;
  let isAnswered = true;
  let pauseMs = shortestPauseMs;
  let pauseUntil = Number.NEGATIVE_INFINITY;

  /** False if the server sent nothing. */
  async function beat(): Promise<boolean> {
    const asked = await link();
    const askedAt = performance.now();
    if ((await ask(callMs * 2)) || heardAt > askedAt || isStopped) return true;
    await onSilence(asked, isAnswered);
    return false;
  }

  async function tick(): Promise<void> {
    const now = performance.now();
    if (isBeating || now < pauseUntil || !isNeeded(now - heardAt)) return;
    isBeating = true;
    await pause(callMs * answered, undefined, { ref: false });
    if (heardAt < now && isNeeded(performance.now() - heardAt)) await beatAndNote();
    isBeating = false;
  }

  async function beatAndNote(): Promise<void> {
    isAnswered = await beat().catch(() => true); // there is no connection to abandon
    if (isAnswered) heardAt = performance.now();
    pauseMs = isAnswered ? shortestPauseMs : Math.min(pauseMs * 2, shortestPauseMs * longestPause);
    pauseUntil = isAnswered ? Number.NEGATIVE_INFINITY : performance.now() + pauseMs;
  }

  return {
    heard() {
      heardAt = performance.now();
    },
    start() {
      if (!isStopped) stopTicking ??= everyInterval(shortestPauseMs, tick);
    },
    stop() {
      isStopped = true;
      stopTicking?.();
    },
  };
}
