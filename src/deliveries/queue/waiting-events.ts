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
