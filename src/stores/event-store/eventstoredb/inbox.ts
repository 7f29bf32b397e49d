/** The types of the client and of Node differ in the rest. */
export type Source = {
  readableLength: number;
  read(): unknown;
  on(event: 'readable' | 'error' | 'end' | 'close', listener: (error?: unknown) => void): unknown;
};

/**
 * Delivered items that were not taken yet. Handles `error` until the last read: without a listener it would end the
 * process.
 */
export class Inbox<Item> {
  readonly #stream: Source;
  #ended: { error: unknown } | undefined;
  #wake = () => {};

  constructor(stream: Source) {
    this.#stream = stream;
    const end = (error?: unknown) => {
      this.#ended ??= { error };
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

  /** Set once the stream has ended, with the error if it failed; items may still be there. */
  get ended(): { error: unknown } | undefined {
    return this.#ended;
  }

  take(most: number): Item[] {
    const items: Item[] = [];
    while (items.length < most) {
      const item = this.#stream.read();
      if (item === null) break;
      items.push(item as Item); // the call determines the type of its items
    }
    return items;
  }

  /** True when there is an item or the stream has ended; false after the timeout or an abort. */
  arrival(waitMs: number, signal?: AbortSignal): Promise<boolean> {
    if (!this.isEmpty || this.#ended) return Promise.resolve(true);
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
