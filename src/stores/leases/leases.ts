import { DomainError } from '../../kernel/domain-error.js';

/** Term of a lease, for writes. */
export type HeldTerm = {
  /** Rises with each holder. Writes of a lower term than the last are refused. */
  term: bigint;
  /**
   * False as soon as another instance may hold the lease, by the monotonic clock. Check it right before an action that
   * no term protects: a paused process acts before its own timers run.
   */
  isHeld: () => boolean;
};

export type LeadershipLease = HeldTerm & {
  /** Aborts once the lease is lost or is to be released. */
  signal: AbortSignal;
};

export type LeaseStatus = {
  name: string;
  held: boolean;
  holder: string | undefined;
  /** The error that keeps this instance from competing, or its work from running; it is retried. */
  error?: { message: string };
};

/** Work under a lease. */
export type LeasedWork = {
  /** Ends the work, waits for it, and releases the lease at once. */
  stop: () => Promise<void>;
};

export type HeldLease = LeasedWork & { status: () => LeaseStatus };

export type SharedLeases = LeasedWork & {
  /** Status of each part, from the first to the last. */
  status: () => readonly LeaseStatus[];
};

/** A task with one part has its lease's name. */
export const partName = (name: string, part: number, count: number): string => (count === 1 ? name : `${name}/${part}`);

/** Leader election. Contract: `test/contract/leases.ts`. */
export interface Leases {
  /**
   * Runs `work` whenever this instance holds the lease, until `stop`. The work must end soon after its signal aborts;
   * where it ends before, or fails, the lease is released and competed for again.
   */
  hold(name: string, work: (lease: LeadershipLease) => Promise<void>): HeldLease;
  /**
   * Holds parts 0 to `count` - 1 of a task, each under its own lease as `hold` does, spread evenly over the instances
   * that share it. An instance releases the parts above its share as soon as another instance has fewer than its own share. An instance
   * for which `isAway` holds releases all, if there is another instance.
   */
  share(
    name: string,
    count: number,
    work: (part: number, lease: LeadershipLease) => Promise<void>,
    isAway?: () => boolean,
  ): SharedLeases;
}

/** Another instance holds the lease under a later term; the write has changed nothing. */
export class LeaseLost extends DomainError {
  readonly code = 'lease_lost';

  constructor(
    readonly lease: string,
    readonly term: bigint,
  ) {
    super(`the lease ${lease} of term ${term} has ended`);
  }
}
