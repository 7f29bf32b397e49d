/** The errors that the double makes on request; everything else it does right. */
export interface Misbehaviour {
  /** The port is closed, and every open connection is cut. */
  refuseConnections?: boolean;
  /** The port is closed to new connections; those that are open are served. */
  refuseNewConnections?: boolean;
  /** Calls are taken, but not heard before this is over; open subscriptions say nothing. */
  silent?: boolean;
  /** Calls are executed at once and answered this much later; live events are late too. */
  answerLateMs?: number;
  /** Appends succeed and are not answered, all or as many as `times` says. */
  loseAppendAnswers?: LostAnswers;
  /** Writes, and reads that require the leader, are sent to the node at this address. */
  leaderIsAt?: { host: string; port: number };
  /** Every subscription is dropped after this many events. */
  dropSubscriptionsAfter?: Drop & { events: number };
}

interface LostAnswers {
  times?: number;
  /** `silence`, the default: the caller waits for ever. `disconnect`: its connection is cut. */
  by?: 'silence' | 'disconnect';
}

/** `ABORTED` is what a slow consumer gets, `UNKNOWN` what a failing server gives, `INTERNAL` one that shuts down. */
export type DropCode = 'ABORTED' | 'CANCELLED' | 'INTERNAL' | 'UNAVAILABLE' | 'UNKNOWN';

export interface Drop {
  /** Default: `ABORTED`. */
  code?: DropCode;
}
