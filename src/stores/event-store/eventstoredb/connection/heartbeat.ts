import { setTimeout as pause } from 'node:timers/promises';

export type HeartbeatOptions<Link> = {
  /** The connection that calls use now. Rejects where there is none. */
  readonly link: () => Promise<Link>;
  /** Whether the server answers a call within this time, or the call fails. */
  readonly ask: (limitMs: number) => Promise<boolean>;
  /** `isFirst`: it had answered before. */
  readonly onSilence: (link: Link, isFirst: boolean) => Promise<void>;
  /** The deadline of a call. */
  readonly callMs: number;
};

export type Heartbeat = {
  /** Records that the server has sent something. */
  readonly heard: () => void;
  readonly start: () => void;
  readonly stop: () => void;
};

/** Maximum interval between two heartbeats, in multiples of the minimum, while the server does not answer. */
const longestPause = 8;

/**
 * Sends the server a heartbeat every half deadline, and reports when it has sent nothing for two deadlines. A frozen
 * node keeps its connections open, and gRPC detects it only during calls, after the keepalive timeout.
 */
export function heartbeat<Link>({ link, ask, onSilence, callMs }: HeartbeatOptions<Link>): Heartbeat {
  const stopped = new AbortController();
  const shortestPauseMs = callMs / 2;
  let heardAt = Number.NEGATIVE_INFINITY;
  let isStarted = false;

  /** False where the server sent nothing. */
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
