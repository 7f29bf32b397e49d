import { StoreUnavailable } from '../../../../kernel/store-errors.js';
import { isDenied, isTransient, NoAnswer } from '../failures.js';
import { Inbox, type Source } from '../inbox.js';
import { type Patience, patience, type Timing } from '../patience.js';
import type { Slots } from '../slots.js';
import type { StatusPart } from '../status.js';

export type ReadDependencies = {
  readonly slots: Slots;
  readonly timing: Timing;
  readonly isOpen: () => boolean;
  readonly calls: StatusPart;
};

/** A call of the client that gives items until its stream ends. */
export type StreamingCall = { readonly stream: Source; readonly cancel: () => Promise<void> };

const chunkSize = 256;

export const storeClosed = () => new StoreUnavailable('the event store is closed');

/** What a call has brought each time that its consumer asks. The call is over when the consumer leaves. */
export type ChunkReader = <Item>(open: () => StreamingCall, own?: Patience) => AsyncGenerator<readonly Item[]>;

/**
 * Reads with one call or, where it fails on the way, with several: `open` begins one behind what has been given so far.
 * Without patience of the caller's own, there is fresh patience for each chunk.
 */
export function chunkReader({ slots, timing, isOpen, calls }: ReadDependencies): ChunkReader {
  async function* once<Item>(call: StreamingCall, leftMs: () => number): AsyncGenerator<readonly Item[]> {
    const inbox = new Inbox<Item>(call.stream);
    try {
      for (;;) {
        const items = inbox.take(chunkSize);
        if (items.length > 0) {
          yield items;
          if (!isOpen()) throw storeClosed();
        } else if (inbox.over) {
          if (inbox.over.error !== undefined) throw inbox.over.error;
          return;
        } else if (!(await inbox.arrival(Math.min(timing.callMs, leftMs())))) {
          throw new NoAnswer('a read was not answered in time');
        }
      }
    } finally {
      // It fails where the call never came about, which has been told above.
      if (!inbox.over) call.cancel().catch(() => undefined);
    }
  }

  return async function* read<Item>(open: () => StreamingCall, own?: Patience) {
    let current = own ?? patience(timing, calls);
    for (;;) {
      if (!isOpen()) throw storeClosed();
      const release = await slots.take(current.leftMs());
      let failure: unknown;
      try {
        for await (const items of once<Item>(open(), () => current.leftMs())) {
          calls.working();
          yield items;
          if (!own) current = patience(timing, calls);
        }
        return;
      } catch (error) {
        failure = error;
      } finally {
        release();
      }
      if (isDenied(failure)) throw current.giveUp(failure);
      if (!isTransient(failure)) throw failure;
      await current.afterFailure(failure);
    }
  };
}
