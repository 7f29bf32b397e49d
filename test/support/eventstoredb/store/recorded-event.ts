/** An event as a writer proposes it. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** An event in the log. */
export interface RecordedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** The offset of its record in the log: commit and prepare position in one. */
  readonly position: bigint;
  readonly createdMs: number;
}
