/** Hosts at which attempts failed on our side, and that were not reached since. Times are monotonic milliseconds. */
export type FailingHosts = {
  /**
   * `evidenceAt`: when something else last worked. `own`: the failure concerns this host alone; `waits`: the listener
   * waits; `full`: too many wait already.
   */
  failed: (listener: { host: string; listenerId: string }, times: FailureTimes) => Verdict;
  /** Returns true if the host was failing. */
  reached: (host: string) => boolean;
  /** 1 if the listener's host is due for a retry, else 0. */
  retry: () => ReadonlyMap<string, 0 | 1>;
  waiting: () => readonly string[];
  /** Undefined if no listener waits. */
  retryInMs: () => number | undefined;
};

type FailureTimes = { beganAt: number; evidenceAt: number };
type Verdict = 'own' | 'waits' | 'full';

export const retryMs = 3_000;
/** Number of rounds in which a host fails while others work, before the failure concerns that host alone. */
const ownRounds = 3;
/** A lease request names them all. */
const maxWaiting = 1_000;
const maxHosts = 10_000;

type Host = {
  listeners: Set<string>;
  retryAt: number;
  /** True if the delivery may have been tried again since it failed. */
  retried: boolean;
  /** A round begins at least half of `retryMs` after the failures of the previous one. */
  roundAt: number;
  rounds: number;
};

export function failingHosts(now: () => number): FailingHosts {
  const hosts = new Map<string, Host>();
  let waiting = 0;

  function endWaits({ listeners }: Host): void {
    waiting -= listeners.size;
    listeners.clear();
  }

  function reached(name: string): boolean {
    const host = hosts.get(name);
    if (host) endWaits(host);
    return hosts.delete(name);
  }

  function add(name: string): Host {
    const [oldest] = hosts.keys();
    if (hosts.size >= maxHosts && oldest !== undefined) reached(oldest);
    const host = { listeners: new Set<string>(), retryAt: 0, retried: false, roundAt: now(), rounds: 0 };
    hosts.set(name, host);
    return host;
  }

  return {
    failed({ host: name, listenerId }, { beganAt, evidenceAt }) {
      const host = hosts.get(name) ?? add(name);
      if (beganAt >= host.roundAt + retryMs / 2) {
        host.rounds = evidenceAt > host.roundAt ? host.rounds + 1 : 0;
        host.roundAt = now();
      }
      if (host.rounds >= ownRounds) {
        endWaits(host);
        return 'own';
      }
      host.retryAt = now() + retryMs;
      host.retried = false;
      if (host.listeners.has(listenerId)) return 'waits';
      if (waiting >= maxWaiting) return 'full';
      host.listeners.add(listenerId);
      waiting += 1;
      return 'waits';
    },
    reached,
    retry() {
      const limits = new Map<string, 0 | 1>();
      if (waiting === 0) return limits;
      for (const host of hosts.values()) {
        const isDue = host.retryAt <= now();
        if (isDue && host.retried) endWaits(host); // it did not fail again, or nothing was due
        for (const listenerId of host.listeners) limits.set(listenerId, isDue ? 1 : 0);
        if (isDue) {
          host.retryAt = now() + retryMs;
          host.retried = true;
        }
      }
      return limits;
    },
    waiting: () => (waiting === 0 ? [] : [...hosts.values()].flatMap(({ listeners }) => [...listeners])),
    retryInMs() {
      if (waiting === 0) return undefined;
      const retries = [...hosts.values()].flatMap(({ listeners, retryAt }) => (listeners.size > 0 ? [retryAt] : []));
      return Math.max(0, Math.min(...retries) - now());
    },
  };
}
