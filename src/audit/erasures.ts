/** Who has erased a stream for good, and when: on record in an event, so it is told apart from tampering. */
export type Erasure = {
  /** ISO 8601. */
  readonly at: string;
  readonly by: string | null;
};

/** Undefined where a stream was never erased. */
export type FindErasure = (stream: string) => Promise<Erasure | undefined>;

/** Of a service that erases nothing. */
export const noErasures: FindErasure = async () => undefined;
