import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { watchFailures } from '../../../kernel/failures.js';
import { asMongoError } from '../../../stores/mongodb/mongodb-errors.js';
import { untilUnchanged, watchHeartbeats } from '../../../stores/mongodb/watch-heartbeats.js';
import type { Collections, InstanceRow } from '../collections.js';
import type { HeldDeliveries } from './held-deliveries.js';

const defaultTimings = {
  beatMs: 1_000,
  /** Others take over the leases of an instance after this time without a beat. */
  deadAfterMs: 3_000,
  /** The instance itself stops relying on them earlier. */
  trustMs: 2_500,
  /** Interval of checks of the other instances. */
  checkMs: 500,
  /** Delay of a check after the moment at which a process counts as ended. */
  settleMs: 5,
};
export type HeartbeatTimings = typeof defaultTimings;

/** The period in which the beats of an instance came in time. Its leases do not outlive it by more than `deadAfterMs`. */
type Life = {
  id: string;
  /** False for good once others may have taken over its leases. */
  isCurrent: () => boolean;
};

type EndedLives = {
  lives: readonly InstanceRow[];
  /** Time until another process counts as ended without a heartbeat; infinite where no other instance has leased anything. */
  nextInMs: number;
};

export type Heartbeat = {
  /** The current life, which is recorded. */
  life: () => Promise<Life>;
  /** Lives without a beat for `deadAfterMs` by this process's monotonic clock; checks at most every `checkMs` until the next may end. */
  ended: () => Promise<EndedLives>;
  stop: () => Promise<void>;
};

/**
 * Beats while something is leased. A process that was frozen, or could not reach the server, gets another life: the leases
 * of the earlier one are lost for good, so it starts none of their attempts.
 */
export function openHeartbeat(
  { instances }: Pick<Collections, 'instances'>,
  held: Pick<HeldDeliveries, 'isEmpty'>,
  log: Logger | undefined,
  timings: Partial<HeartbeatTimings> = {},
): Heartbeat {
  const times = { ...defaultTimings, ...timings };
  const { beatMs, trustMs } = times;
  const failures = log && watchFailures(log, 'recording that this instance is alive');
  let current: (Life & { trustedUntil: number }) | undefined;
  let beating: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function newLife() {
    const life = {
      id: randomUUID(),
      trustedUntil: Number.POSITIVE_INFINITY, // until its first beat, nothing is leased in it
      isCurrent: () => !isStopped && performance.now() < life.trustedUntil,
    };
    return life;
  }

  async function beat(): Promise<void> {
    const sentAt = performance.now();
    const life = current?.isCurrent() ? current : newLife();
    await instances.updateOne({ _id: life.id }, { $inc: { beat: 1 } }, { upsert: true });
    life.trustedUntil = sentAt + trustMs;
    current = life;
  }

  function beatAndGoOn(): Promise<void> {
    beating ??= beat()
      .then(
        () => failures?.recovered(),
        (error: unknown) => {
          failures?.record(asMongoError(error));
          throw error;
        },
      )
      .finally(() => {
        beating = undefined;
        beatLater();
      });
    clearTimeout(timer);
    timer = undefined;
    return beating;
  }

  function beatLater(): void {
    if (isStopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      const next = held.isEmpty ? endLife() : beatAndGoOn();
      next.catch(() => undefined); // logged, and tried again
    }, beatMs).unref();
  }

  /** Nothing is leased in it, so no instance has to notice its end. */
  async function endLife(): Promise<void> {
    const ended = current;
    current = undefined;
    if (ended) await instances.deleteOne({ _id: ended.id });
  }

  return {
    async life() {
      while (!current?.isCurrent()) {
        await beatAndGoOn();
        if (isStopped) break;
      }
      if (!beating) beatLater();
      return current ?? newLife();
    },

    ended: openEndedLives(instances, times, () => current?.id),

    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await beating?.catch(() => undefined);
      if (held.isEmpty) await endLife().catch(() => undefined); // else others end it after `deadAfterMs`
    },
  };
}

function openEndedLives(
  instances: Collections['instances'],
  { deadAfterMs, checkMs, settleMs }: HeartbeatTimings,
  ownId: () => string | undefined,
): Heartbeat['ended'] {
  const readLives = async () => {
    const rows = await instances.find({ _id: { $gt: '' } }).toArray(); // by index
    return new Map(rows.map((row) => [row._id, row]));
  };
  const look = watchHeartbeats(readLives, (deadAfterMs * 2) / 3);
  let checkedAt = Number.NEGATIVE_INFINITY;
  let nextEndAt = Number.POSITIVE_INFINITY;

  return async () => {
    const now = performance.now();
    if (now < Math.min(checkedAt + checkMs, nextEndAt)) return { lives: [], nextInMs: nextEndAt - now };
    checkedAt = now;
    const seen = [...(await look()).values()];
    const lives = seen.filter(({ unchangedMs }) => unchangedMs >= deadAfterMs).map(({ record }) => record);
    const others = seen.filter(({ record }) => record._id !== ownId());
    const nextInMs = untilUnchanged(others, deadAfterMs) + settleMs;
    nextEndAt = now + nextInMs;
    return { lives, nextInMs };
  };
}
