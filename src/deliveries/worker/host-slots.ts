/** Gives a place back. */
type Release = () => void;

/** Places among the requests to each host, whatever ports and hooks they are for. */
export type HostSlots = {
  /**
   * A place, to be given back. Where all are taken, one that becomes free soon; `undefined` where none does. At once, unless
   * `patient`, where none has become free for a while and the host seems stuck, and where enough wait already: who waits has
   * a slot that others could use.
   */
  readonly take: (host: string, patient?: boolean) => Release | Promise<Release | undefined>;
  /** How many places are free. */
  readonly free: (host: string) => number;
  /** Whether half of the places are taken, or were before the last one was given back. */
  readonly isCrowded: (host: string) => boolean;
};

type Host = { taken: number; readonly waiting: Set<(release: Release | undefined) => void>; freedAt: number };

export type HostSlotsSettings = {
  readonly perHost: number;
  /** How long to wait for a place, and after how long without one that became free a host counts as stuck. */
  readonly waitMs?: number;
};

/** So many that an organisation which is alone may have as many there as it may have under way: see `crowdedHosts`. */
export const usualPerHost = (concurrency: number): number => Math.ceil((5 * concurrency) / 8);

/** A timer may fire by so much too early, by the clock. */
const timersEarlyMs = 1;

export function hostSlots({ perHost, waitMs = 1_000 }: HostSlotsSettings): HostSlots {
  const maxWaiting = Math.ceil(perHost / 8);
  const hosts = new Map<string, Host>();

  function releaseOf(name: string, host: Host): Release {
    return () => {
      host.freedAt = performance.now();
      const [next] = host.waiting; // who has waited longest
      if (next) {
        next(releaseOf(name, host));
        return;
      }
      host.taken -= 1;
      if (host.taken === 0) hosts.delete(name);
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

  const free = (name: string): number => perHost - (hosts.get(name)?.taken ?? 0);

  return {
    free,
    isCrowded: (name) => 2 * (free(name) - 1) <= perHost,
    take(name, patient = false) {
      const now = performance.now();
      const host = hosts.get(name) ?? { taken: 0, waiting: new Set(), freedAt: now };
      hosts.set(name, host);
      if (host.taken >= perHost) {
        const inVain = now - host.freedAt > waitMs - timersEarlyMs || host.waiting.size >= maxWaiting;
        return inVain && !patient ? Promise.resolve(undefined) : wait(host);
      }
      host.taken += 1;
      return releaseOf(name, host);
    },
  };
}
