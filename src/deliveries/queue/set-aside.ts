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

export type SetAsideQuery = {
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
