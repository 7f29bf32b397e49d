/** What is needed of a stream of the client. Its type and Node's do not agree on the others. */
export type Source = {
  readonly readableLength: number;
  read(): unknown;
  on(event: 'readable' | 'error' | 'end' | 'close', listener: (error?: unknown) => void): unknown;
};

/**
 * What a stream of the client has brought and nobody has taken yet. Errors are heard from the first moment, also those
 * that come when nobody waits any more: an `error` event that nobody hears ends the process.
 */
export class Inbox<Item> {
  readonly #stream: Source;
  #over: { readonly error: unknown } | undefined;
  #wake = () => {};

  constructor(stream: Source) {
    this.#stream = stream;
    const end = (error?: unknown) => {
      this.#over ??= { error };
      this.#wake();
    };
    stream.on('readable', () => this.#wake());
    stream.on('error', end);
    stream.on('end', () => end());
    stream.on('close', () => end());
  }

  get isEmpty(): boolean {
    return this.#stream.readableLength === 0;
  }

  /** Set once the stream has ended, with the error, if it was one that ended it. What came before may still be there. */
  get over(): { readonly error: unknown } | undefined {
    return this.#over;
  }

  take(most: number): Item[] {
    const items: Item[] = [];
    while (items.length < most) {
      const item = this.#stream.read();
      if (item === null) break;
      items.push(item as Item); // the client gives what the call was for
    }
    return items;
  }

  /** Resolves when something has come or it is over; to false where the time is over, or the signal aborted, before. */
  arrival(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.isEmpty || this.#over) return Promise.resolve(true);
    if (signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const done = (arrived: boolean) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#wake = () => {};
        resolve(arrived);
      };
      const abort = () => done(false);
      const timer = setTimeout(abort, waitMs);
      signal?.addEventListener('abort', abort);
      this.#wake = () => done(true);
    });
  }
}
