/** Hosts at which attempts failed on our side, and that were not reached since. */
export type FailingHosts = {
  /**
   * Notes a failed attempt at a listener of the host. `evidenceAt`: when something else of the kind last worked. Returns what
   * that says: `own`, the failure concerns this host alone; `waits`, the listener waits; `full`, too many listeners wait already.
   */
  readonly failed: (listener: { readonly host: string; readonly listenerId: string }, times: FailureTimes) => Verdict;
  /** The host was reached. Returns whether it was failing. */
  readonly reached: (host: string) => boolean;
  /** Waiting listeners, with the maximum number of their deliveries that may be leased: 1 if the host is due for a retry, else 0. */
  readonly retry: () => ReadonlyMap<string, 0 | 1>;
  /** Listeners that wait. */
  readonly waiting: () => readonly string[];
  /** Time until a host is due for a retry, in milliseconds; undefined if no listener waits. */
  readonly retryInMs: () => number | undefined;
};

/** Milliseconds of a monotonic clock. `beganAt`: when the attempt began. */
type FailureTimes = { readonly beganAt: number; readonly evidenceAt: number };
type Verdict = 'own' | 'waits' | 'full';

/** Interval between retries of a host. */
export const retryMs = 3_000;
/** Rounds in a row in which a host fails while others work, after which the failure concerns that host alone. */
const ownRounds = 3;
/** Maximum number of waiting listeners, because a lease request names them all. */
const maxWaiting = 1_000;
/** Maximum number of hosts remembered. */
const maxHosts = 10_000;

type Host = {
  /** Listener IDs of the listeners that wait. */
  readonly listeners: Set<string>;
  retryAt: number;
  /** It may have been tried again since it failed. */
  retried: boolean;
  /** The attempts of a round began after the failures of the previous one, at least half of `retryMs` later. */
  roundAt: number;
  /** Rounds in a row in which it failed while others worked. */
  rounds: number;
};

/** `now`: milliseconds of a monotonic clock. */
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
