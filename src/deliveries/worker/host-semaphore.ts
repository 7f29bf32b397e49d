import { addTo } from './attempts-in-flight.js';

type Release = () => void;

/** Bounds the concurrent requests to a host, over all its ports and listeners. */
export type HostSemaphore = {
  /**
   * Waits up to `waitMs` if all connections are in use, then resolves to undefined. Unless `patient`, does so at once
   * if the host seems stuck or too many wait: a waiter keeps a slot that others could use.
   */
  acquire: (host: string, patient?: boolean) => Release | Promise<Release | undefined>;
  perHost: number;
  inUse: ReadonlyMap<string, number>;
  available: (host: string) => number;
  /** Half of the connections are in use, or were before the last release. */
  isHalfAcquired: (host: string) => boolean;
};

type Host = { waiting: Set<(release: Release | undefined) => void>; freedAt: number };

export type HostSemaphoreSettings = {
  perHost: number;
  /** Also the time without a release after which a host counts as stuck. */
  waitMs?: number;
};

/** Enough for one organisation to use its whole share: see `saturatedHosts`. */
export const defaultPerHost = (concurrency: number): number => Math.ceil((5 * concurrency) / 8);

/** Timers may fire early by this, on the monotonic clock. */
const timersEarlyMs = 1;

export function hostSemaphore({ perHost, waitMs = 1_000 }: HostSemaphoreSettings): HostSemaphore {
  const maxWaiting = Math.ceil(perHost / 8);
  const hosts = new Map<string, Host>(); // those with connections in use
  const inUse = new Map<string, number>();

  function releaseOf(name: string, host: Host): Release {
    return () => {
      host.freedAt = performance.now();
      const [next] = host.waiting; // the longest waiting
      if (next) {
        next(releaseOf(name, host));
        return;
      }
      addTo(inUse, name, -1);
      if (!inUse.has(name)) hosts.delete(name);
    };
  }

  function wait(host: Host): Promise<Release | undefined> {
    return new Promise((resolve) => {
      const settle = (release: Release | undefined) => {
        clearTimeout(timer);
        host.waiting.delete(settle);
        resolve(release);
      };
      const timer = setTimeout(settle, waitMs, undefined);
      host.waiting.add(settle);
    });
  }

  const available = (name: string): number => perHost - (inUse.get(name) ?? 0);

  return {
    perHost,
    inUse,
    available,
    isHalfAcquired: (name) => 2 * (available(name) - 1) <= perHost,
    acquire(name, patient = false) {
      const now = performance.now();
      const host = hosts.get(name) ?? { waiting: new Set(), freedAt: now };
      hosts.set(name, host);
      if (available(name) <= 0) {
        const inVain = now - host.freedAt > waitMs - timersEarlyMs || host.waiting.size >= maxWaiting;
        return inVain && !patient ? Promise.resolve(undefined) : wait(host);
      }
      addTo(inUse, name, 1);
      return releaseOf(name, host);
    },
  };
}
