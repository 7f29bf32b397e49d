/** The leadership of one of several instances. */
export type LeadershipLease = {
  /** Rises with each holder. Writes that carry it are refused once there has been a greater one. */
  readonly term: bigint;
  /** Aborts once the lease is lost or is to be given back. */
  readonly signal: AbortSignal;
  /**
   * Whether no other instance can hold the lease yet, by this process's monotonic clock. Check it right before an
   * action that no term protects: a process that was paused acts before its own timers run.
   */
  readonly isHeld: () => boolean;
};

export type LeaseStatus = {
  readonly name: string;
  /** Whether this instance holds it. */
  readonly held: boolean;
  /** The holder, as far as known. */
  readonly holder: string | undefined;
  /** The error that keeps this instance from competing for it, or its work from running; it is retried. */
  readonly error?: { readonly message: string };
};

export type HeldLease = {
  readonly status: () => LeaseStatus;
  /** Ends the work, waits for it, and releases the lease at once. */
  readonly stop: () => Promise<void>;
};

/** Leader election: lets one of several instances do certain work. Every adapter passes `test/contract/leases.ts`. */
export interface Leases {
  /**
   * Runs `work` whenever this instance holds the lease of this name, from now until `stop`. The work must end soon
   * after its signal aborts; where it ends before, or fails, the lease is released and competed for again.
   */
  hold(name: string, work: (lease: LeadershipLease) => Promise<void>): HeldLease;
}
