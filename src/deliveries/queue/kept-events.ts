/** A flow or listener event that could not be decoded. It is kept until a retry that an operator requests succeeds. */
export type SetAside = {
  position: bigint;
  stream: string;
  revision: bigint;
  type: string;
  reason: string;
};

export type SetAsideEvent = Pick<SetAside, 'stream' | 'revision'>;

type SetAsideQuery = {
  event?: SetAsideEvent;
  after?: bigint;
  /** By default 100. */
  limit?: number;
};

export interface SetAsideEvents {
  listSetAside(query?: SetAsideQuery): Promise<readonly SetAside[]>;
  /** No effect if the event is not there any more. */
  explainSetAside(position: bigint, reason: string): Promise<void>;
  /** Repeatable. */
  removeSetAside(position: bigint): Promise<void>;
}

/**
 * An event that waits because its organisation has used up its share of the time. Only its place is kept; the event is
 * read again.
 */
export type WaitingEvent = {
  orgId: string;
  position: bigint;
  stream: string;
  revision: bigint;
};

/** Written before the checkpoint moves past them, and removed with their deliveries: see `FanOutCheckpoint`. */
export interface WaitingEvents {
  waitingOrganisations(reader: string): Promise<readonly string[]>;
  firstWaiting(reader: string, orgId: string): Promise<WaitingEvent | undefined>;
}
