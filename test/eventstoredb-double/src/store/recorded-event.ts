/** An event as a writer proposes it. */
export interface ProposedEvent {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}

/** An event in the log. */
export interface RecordedEvent extends ProposedEvent {
  stream: string;
  revision: bigint;
  /** The offset of its record in the log: commit and prepare position in one. */
  position: bigint;
  createdMs: number;
}
