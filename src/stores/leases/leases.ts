/** What an instance has while it acts for all of them. */
export type Lease = {
  /** Each holder's is greater than that of every holder before. Writes that carry it are refused once there is a greater. */
  readonly term: bigint;
  /** Aborts once the lease is lost or is to be given back. */
  readonly signal: AbortSignal;
  /**
   * Whether nobody else can have it yet, by this process's own monotonic clock. To be asked right before what no term
   * guards: a process that was paused acts before any timer of its own tells it that time has passed.
   */
  readonly isHeld: () => boolean;
};

export type LeaseStatus = {
  readonly name: string;
  /** Whether this instance holds it. */
  readonly held: boolean;
  /** Who does, as far as is known. */
  readonly holder: string | undefined;
  /** What keeps this instance from competing for it, or its work from running; it is tried again and again. */
  readonly error?: { readonly message: string };
};

export type Held = {
  readonly status: () => LeaseStatus;
  /** Ends the work, waits for it, and hands the lease over at once. */
  readonly stop: () => Promise<void>;
};

/** Lets one of several instances do what only one may do. Every adapter passes `test/contract/leases.ts`. */
export interface Leases {
  /**
   * Runs `work` whenever this instance holds the lease of this name, from now until `stop`. The work ends soon after its
   * signal aborts; where it ends before, or fails, the lease is given back and competed for again.
   */
  hold(name: string, work: (lease: Lease) => Promise<void>): Held;
}
