import { setTimeout as pause } from 'node:timers/promises';

export type HeartbeatOptions<Link> = {
  /** Rejects if there is no connection. */
  readonly link: () => Promise<Link>;
  /** The server answers a call within this time, or the call fails. */
  readonly ask: (limitMs: number) => Promise<boolean>;
  /** `isFirst`: it had answered before. */
  readonly onSilence: (link: Link, isFirst: boolean) => Promise<void>;
  readonly callMs: number;
};

export type Heartbeat = {
  readonly heard: () => void;
  readonly start: () => void;
  readonly stop: () => void;
};

/** In multiples of the minimum, while the server does not answer. */
const longestPause = 8;

/**
 * Sends a heartbeat every half deadline, and reports two deadlines of silence. A frozen node keeps its connections
 * open; gRPC detects it only during calls, after the keepalive timeout.
 */
export function heartbeat<Link>({ link, ask, onSilence, callMs }: HeartbeatOptions<Link>): Heartbeat {
  const stopped = new AbortController();
  const shortestPauseMs = callMs / 2;
  let heardAt = Number.NEGATIVE_INFINITY;
  let isStarted = false;

  /** False if the server sent nothing. */
  async function beat(wasAnswered: boolean): Promise<boolean> {
    const asked = await link();
    const askedAt = performance.now();
    if ((await ask(callMs * 2)) || heardAt > askedAt || stopped.signal.aborted) return true;
    await onSilence(asked, wasAnswered);
    return false;
  }

  async function run(): Promise<void> {
    let pauseMs = shortestPauseMs;
    let isAnswered = true;
    const rest = () => pause(pauseMs, true, { signal: stopped.signal, ref: false }).catch(() => false); // only an abort rejects
    while (await rest()) {
      isAnswered = await beat(isAnswered).catch(() => true); // there is no connection to abandon
      pauseMs = isAnswered ? shortestPauseMs : Math.min(pauseMs * 2, shortestPauseMs * longestPause);
    }
  }

  return {
    heard() {
      heardAt = performance.now();
    },
    start() {
      if (isStarted) return;
      isStarted = true;
      void run();
    },
    stop: () => stopped.abort(),
  };
}
