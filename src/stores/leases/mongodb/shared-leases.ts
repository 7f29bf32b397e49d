import { abortedByAny, repeatUntilAborted, sleepUnlessAborted } from '../../../kernel/unless-aborted.js';
import { type HeldLease, type LeaseStatus, partName, type SharedLeases } from '../leases.js';
import { isFree, type LeaseRecord, type SeenLeases } from './lease-records.js';

type Parts = {
  name: string;
  count: number;
  /** Unique to this process. */
  holder: string;
  times: { leaseMs: number; retryMs: number };
  /** A fresh read of all records; undefined once the signal aborts. */
  look: (signal: AbortSignal) => Promise<SeenLeases | undefined>;
  /** Runs the work of a part where its lease can be taken, until the signal aborts or the lease is lost. */
  lead: (part: number, name: string, seen: LeaseRecord | undefined, signal: AbortSignal) => Promise<void>;
  /** The lease that no other instance competes for: while it is held, this instance takes part. */
  member: { name: string; join: () => HeldLease };
  isAway: () => boolean;
  removeMember: (seen: LeaseRecord) => Promise<void>;
  /** Called once for all retries that fail in the same way. */
  onFailure: (error: unknown) => void;
};

export const memberPrefix = (name: string): string => `${name}/instance/`;

/**
 * Each instance computes its share from the members whose heartbeats it sees: they agree within a poll, and until then a part
 * has one holder all the same.
 */
export function sharedLeases({ name, count, holder, times, lead, member, isAway, ...parts }: Parts): SharedLeases {
  const stopping = new AbortController();
  const { signal } = stopping;
  const all = Array.from({ length: count }, (_, part) => ({ part, name: partName(name, part, count) }));
  const led = new Map<number, { release: AbortController; ended: Promise<void> }>();
  let seen: SeenLeases = new Map();
  let message: string | undefined;
  let membership: HeldLease | undefined = member.join();

  async function liveMembers(): Promise<readonly string[]> {
    const live: string[] = [];
    for (const [key, { record, unchangedMs }] of seen) {
      if (!key.startsWith(memberPrefix(name))) continue;
      if (record.holder !== null && unchangedMs < times.leaseMs) live.push(key);
      else await parts.removeMember(record);
    }
    return live.sort();
  }

  function begin({ part, name }: (typeof all)[number]): void {
    const release = new AbortController();
    const either = abortedByAny(signal, release.signal);
    const ended = lead(part, name, seen.get(name)?.record, either)
      .catch(async (error: unknown) => {
        onFailure(error);
        await sleepUnlessAborted(times.retryMs, either);
      })
      .finally(() => {
        release.abort();
        led.delete(part);
      });
    led.set(part, { release, ended });
  }

  function lackedBy(key: string, share: number): number {
    const other = key.slice(memberPrefix(name).length);
    return Math.max(0, share - all.filter(({ name }) => seen.get(name)?.record.holder === other).length);
  }

  async function spread(): Promise<void> {
    const live = await liveMembers();
    if (isAway() && live.some((key) => key !== member.name)) return leave();
    membership ??= member.join();
    const free = all.filter(({ part, name }) => isFree(seen.get(name), holder, times.leaseMs) && !led.has(part));
    const rank = live.indexOf(member.name);
    if (rank === -1) return;
    const share = shareOf(count, live.length, rank);
    const kept = [...led.values()].filter(({ release }) => !release.signal.aborted);
    for (const { release } of kept.slice(share)) release.abort();
    // Each leaves those to the members before it that they lack: a part for which two compete is free only at the next read.
    const first = live
      .slice(0, rank)
      .reduce((sum, key, rankBefore) => sum + lackedBy(key, shareOf(count, live.length, rankBefore)), 0);
    const inTurn = [...free.slice(first), ...free.slice(0, first)];
    for (const part of inTurn.slice(0, Math.max(0, share - led.size))) begin(part);
  }

  async function leave(): Promise<void> {
    for (const { release } of led.values()) release.abort();
    const left = membership;
    membership = undefined;
    await left?.stop();
  }

  async function look(): Promise<void> {
    seen = (await parts.look(signal)) ?? seen;
    if (!signal.aborted) await spread();
    message = undefined;
  }

  function onFailure(error: unknown): number {
    const failed = error instanceof Error ? error.message : String(error);
    if (failed !== message) parts.onFailure(error);
    message = failed;
    return times.retryMs;
  }

  async function run(): Promise<void> {
    await repeatUntilAborted(signal, look, onFailure);
    await Promise.all([...led.values()].map(({ ended }) => ended));
  }

  const running = run();
  return {
    status: () =>
      all.map(({ part, name }): LeaseStatus => {
        const status = { name, held: led.has(part), holder: seen.get(name)?.record.holder ?? undefined };
        return message === undefined ? status : { ...status, error: { message } };
      }),
    async stop() {
      stopping.abort();
      await running;
      await membership?.stop();
    },
  };
}

/** The first instances have one part more where the parts cannot be divided. */
export const shareOf = (count: number, instances: number, rank: number): number =>
  Math.floor(count / instances) + (rank < count % instances ? 1 : 0);
