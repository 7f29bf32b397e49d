import type pb from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import type { CallFailure } from './call-failure.js';

/** A read call; its answers come serialised, as their size counts. */
export type ReadCall = ServerWritableStream<pb.ReadReq, Uint8Array>;

/** Maximum buffered for a client that does not read, before the writer has to wait. As in the real server. */
const capacityBytes = 65_536;

/** The answers of one read call on their way out. */
export class Outbox {
  /** Called each time that there is room again. */
  onRoom = () => {};
  #unsentBytes = 0;
  #isClosed = false;
  readonly #waiting: (() => void)[] = [];
  readonly #call: ReadCall;

  /** `onClose` is called, once or more, when the reader has gone or the call has ended. */
  constructor(
    call: ReadCall,
    readonly onClose = () => {},
  ) {
    this.#call = call;
    call.once('cancelled', () => this.#close());
    call.once('close', () => this.#close());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isFull(): boolean {
    return this.#unsentBytes >= capacityBytes;
  }

  put(message: Uint8Array): void {
    if (this.#isClosed) return;
    this.#unsentBytes += message.length;
    this.#call.write(message, () => {
      const wasFull = this.isFull;
      this.#unsentBytes -= message.length;
      if (!wasFull || this.isFull) return;
      this.#wake();
      this.onRoom();
    });
  }

  /** Waits until there is room, or the reader has gone. */
  async room(): Promise<void> {
    while (this.isFull && !this.#isClosed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Ends the call behind what was put before. */
  end(failure?: CallFailure): void {
    if (this.#isClosed) return;
    this.#close();
    if (failure) this.#call.emit('error', failure);
    else this.#call.end();
  }

  #close(): void {
    this.#isClosed = true;
    this.#wake();
    this.onClose();
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
