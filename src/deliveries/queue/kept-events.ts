/** A flow or listener event that could not be decoded. It is kept until a retry that an operator requests succeeds. */
export type SetAside = {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly reason: string;
};

/** The place of the event in the event store. */
export type SetAsideEvent = Pick<SetAside, 'stream' | 'revision'>;

type SetAsideQuery = {
  /** Only this event. */
  readonly event?: SetAsideEvent;
  /** Only events at later positions: the position of the last one of the page before. */
  readonly after?: bigint;
  /** Maximum number of events; 100 by default. */
  readonly limit?: number;
};

/** The part of the queue that keeps the events which the fan-out could not decode. */
export interface SetAsideEvents {
  /** In the order of the positions. */
  listSetAside(query?: SetAsideQuery): Promise<readonly SetAside[]>;
  /** Replaces the reason with that of the latest retry. No effect on an event that is not there any more. */
  explainSetAside(position: bigint, reason: string): Promise<void>;
  /** Removes an event whose deliveries have been enqueued. Repeatable. */
  removeSetAside(position: bigint): Promise<void>;
}

/**
 * An event that the fan-out has read and not handed over: its organisation has used up its share of the time. Only its place is kept,
 * the event is read again.
 */
export type WaitingEvent = {
  readonly orgId: string;
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
};

/**
 * The events that wait for the fan-out behind the checkpoint of a reader. They are written before the checkpoint moves past them, and
 * removed with the deliveries that are made of them: see `FanOutCheckpoint`.
 */
export interface WaitingEvents {
  /** The organisations of which events wait. */
  waitingOrganisations(reader: string): Promise<readonly string[]>;
  /** The first event of an organisation that waits. */
  firstWaiting(reader: string, orgId: string): Promise<WaitingEvent | undefined>;
}
