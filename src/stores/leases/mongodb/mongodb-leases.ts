import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { alignedDelay } from '../../../kernel/aligned-delay.js';
import { repeatUntilAborted, unlessAborted } from '../../../kernel/unless-aborted.js';
import type { MongoDatabase } from '../../mongodb/mongodb-database.js';
import { withMongoErrors } from '../../mongodb/mongodb-errors.js';
import { watchHeartbeats } from '../../mongodb/watch-heartbeats.js';
import type { LeadershipLease, LeaseStatus, Leases } from '../leases.js';
import { leaseKeeper } from './lease-keeper.js';
import {
  type HeldRecord,
  isFree,
  type LeaseRecord,
  type LeaseRecords,
  openLeaseRecords,
  type SeenLeases,
  untilExpiry,
} from './lease-records.js';
import { memberPrefix, sharedLeases } from './shared-leases.js';

/** Another instance holds a lease of a dead one after at most `leaseMs` and a poll: about 4 s, and 3.2 s if their clocks agree. */
const defaultTimings = {
  leaseMs: 3_000,
  marginMs: 750,
  heartbeatMs: 1_000,
  /** Maximum interval between two reads of all leases, while this instance waits for one. */
  pollMs: 1_000,
  /** Polls follow the heartbeats of the others, which come with the whole seconds of their clocks. */
  afterHeartbeatMs: 150,
  /** Delay of a read after the moment at which a lease expires. */
  settleMs: 5,
  retryMs: 1_000,
};
type LeaseTimings = typeof defaultTimings;

/** Reads all records, by name. */
export type LookAtLeases = () => Promise<SeenLeases>;

export type OpenMongoLeases = {
  database: MongoDatabase;
  log: Logger;
  /** Name for operators. */
  instance?: string;
  timings?: Partial<LeaseTimings>;
  /** Leases as another thread of the process reads them anyway, once it has started. */
  lookElsewhere?: () => LookAtLeases | undefined;
};

type Work = (lease: LeadershipLease) => Promise<void>;

/**
 * Compares no two clocks: the holder raises a counter by compare and set; another instance takes over after seeing one
 * value for a whole lease time on its own monotonic clock. One read shows all leases, one update renews all that are
 * held.
 */
export function openMongoLeases({
  database,
  log,
  instance = hostname(),
  timings,
  lookElsewhere = () => undefined,
}: OpenMongoLeases): Leases & { lookNext: LookAtLeases } {
  const records = openLeaseRecords(database.db);
  const times = { ...defaultTimings, ...timings };
  const keep = leaseKeeper({ renew: (held) => withMongoErrors(() => records.renew(held)), times, log });
  const watch = watchHeartbeats(() => withMongoErrors(records.read), times.leaseMs);
  let nextReadAt = 0;
  const read = async () => {
    const all = await watch();
    const inMs = Math.min(
      alignedDelay(times.pollMs) + times.afterHeartbeatMs,
      untilExpiry(all, times.leaseMs) + times.settleMs,
    );
    nextReadAt = performance.now() + inMs;
    return all;
  };
  const look = sharedReads(
    () => lookElsewhere()?.().catch(read) ?? read(),
    () => (lookElsewhere() ? 0 : nextReadAt),
  );
  const takeAndLead = openLead({ records, keep, log });
  const newHolder = () => `${instance}/${process.pid}/${randomUUID()}`; // unique to this process

  const hold: Leases['hold'] = (name, work) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const holder = newHolder();
    let status: LeaseStatus = { name, held: false, holder: undefined };

    async function compete(): Promise<void> {
      const seen = await look(signal);
      if (!seen) return;
      const found = seen.get(name);
      status = { name, held: false, holder: found?.record.holder ?? undefined };
      if (!isFree(found, holder, times.leaseMs)) return;
      const lead: Work = (lease) => {
        status = { name, held: true, holder };
        return work(lease).finally(() => {
          status = { name, held: false, holder: undefined };
        });
      };
      await takeAndLead(found?.record, { name, holder, signal, work: lead });
    }

    function onFailure(error: unknown): number {
      const message = error instanceof Error ? error.message : String(error);
      if (status.error?.message !== message) log.error({ err: error, lease: name }, 'the lease, or the work, failed');
      status = { ...status, held: false, error: { message } };
      return times.retryMs;
    }

    const running = repeatUntilAborted(signal, compete, onFailure);
    return {
      status: () => status,
      async stop() {
        stopping.abort();
        await running;
      },
    };
  };

  return {
    lookNext: look,
    hold,
    share(name, count, work, isAway = () => false) {
      const holder = newHolder();
      const member = `${memberPrefix(name)}${holder}`;
      return sharedLeases({
        name,
        count,
        holder,
        times,
        look,
        lead: (part, lease, seen, signal) =>
          takeAndLead(seen, { name: lease, holder, signal, work: (held) => work(part, held) }),
        member: { name: member, join: () => hold(member, untilAborted) },
        isAway,
        removeMember: (seen) => withMongoErrors(() => records.remove(seen)),
        onFailure: (error) => log.error({ err: error, lease: name }, 'the lease of a part, or its work, failed'),
      });
    },
  };
}

/** Maximum number of leases that are taken at the same time: each needs a connection. */
const maxTaken = 4;

type Taking = { name: string; holder: string; signal: AbortSignal; work: Work };

/** Runs the work where the lease can be taken: no other instance has taken it since it was seen. */
function openLead({ records, keep, log }: Pick<OpenMongoLeases, 'log'> & Keeping) {
  /** A failure delays the others until the lease expires. */
  async function release(held: HeldRecord): Promise<void> {
    await withMongoErrors(() => records.release(held)).catch((error: unknown) =>
      log.warn({ err: error, lease: held.name, term: held.term }, 'the lease could not be released'),
    );
  }

  const someAtOnce = pLimit(maxTaken);

  return async (seen: LeaseRecord | undefined, { name, holder, signal, work }: Taking): Promise<void> => {
    let since = 0;
    const term = await someAtOnce(async () => {
      since = performance.now();
      return signal.aborted ? undefined : withMongoErrors(() => records.take(name, holder, seen));
    });
    if (term === undefined) return;
    const held = { name, holder, term };
    log.info({ lease: name, term }, 'this instance holds the lease');
    const kept = keep({ ...held, since, stopping: signal });
    try {
      if (signal.aborted) return;
      await work(kept.lease);
      if (!kept.lease.signal.aborted) throw new Error(`the work under the lease ${name} has ended`);
    } finally {
      const lost = await kept.end();
      log.info({ lease: name, term, lost }, 'this instance no longer holds the lease');
      if (!lost) await release(held);
    }
  };
}

type Keeping = { records: LeaseRecords; keep: ReturnType<typeof leaseKeeper> };

async function untilAborted({ signal }: LeadershipLease): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/**
 * Callers that wait at the same time share a read, which begins after each of their calls. Resolves with undefined once
 * the signal aborts.
 */
function sharedReads<Result>(read: () => Promise<Result>, notBefore: () => number) {
  let next: Promise<Result> | undefined;

  async function readNext(): Promise<Result> {
    await pause(Math.max(0, Math.ceil(notBefore() - performance.now())));
    next = undefined;
    return read();
  }

  function look(): Promise<Result>;
  function look(signal: AbortSignal): Promise<Result | undefined>;
  function look(signal?: AbortSignal): Promise<Result | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    if (!next) {
      next = readNext();
      next.catch(() => undefined); // its callers may have stopped
    }
    return signal ? unlessAborted(next, signal) : next;
  }
  return look;
}
