import { setTimeout as pause } from 'node:timers/promises';

export type HeartbeatOptions<Link> = {
  /** The connection that calls go over now. Rejects where there is none. */
  readonly link: () => Promise<Link>;
  /** Whether the server answers a call within this time, or the call fails. */
  readonly ask: (limitMs: number) => Promise<boolean>;
  /** `isFirst`: it had answered before. */
  readonly onSilence: (link: Link, isFirst: boolean) => Promise<void>;
  /** The deadline of a call. */
  readonly callMs: number;
};

export type Heartbeat = {
  /** Notes that something has come from the server. */
  readonly heard: () => void;
  readonly start: () => void;
  readonly stop: () => void;
};

/** The longest time between two questions, in multiples of the shortest, where the server has answered none for long. */
const longestPause = 8;

/**
 * Asks the server every half deadline whether it answers, and tells when nothing has come from it for two deadlines. A frozen
 * node keeps its connections open, and gRPC looks only while calls are, for as long as its keepalive takes.
 */
export function heartbeat<Link>({ link, ask, onSilence, callMs }: HeartbeatOptions<Link>): Heartbeat {
  const stopped = new AbortController();
  const shortestPauseMs = callMs / 2;
  let heardAt = Number.NEGATIVE_INFINITY;
  let isStarted = false;

  /** False where nothing came from the server. */
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
    const rest = () => pause(pauseMs, true, { signal: stopped.signal, ref: false }).catch(() => false); // nothing but the signal ends it
    while (await rest()) {
      isAnswered = await beat(isAnswered).catch(() => true); // there is no connection that could be given up
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
