import type { QueuedHook } from './delivery.js';
import type { HookHealth } from './policy/hook-health.js';

/** What the queue knows of a hook that decides when its deliveries are leased. Times in milliseconds since 1970. */
export type HookState = {
  readonly health: HookHealth;
  readonly paused: boolean;
  /** The ID of the delivery that an ordered hook gets next; undefined where none waits, and where the hook is not ordered. */
  readonly head: string | undefined;
  /** Until when the hook's health or rate keeps back what is due; undefined where nothing due was kept back when it was leased last. */
  readonly keptBackUntil: number | undefined;
};

/** A hook whose deliveries do not get through. Times in milliseconds since 1970. */
export type HookInTrouble = Pick<QueuedHook, 'listenerId' | 'orgId' | 'hookUrl'> & {
  readonly health: HookHealth;
  readonly paused: boolean;
  /** When the longest waiting of its deliveries became due, or will be; undefined where none waits. */
  readonly dueSince: number | undefined;
};
