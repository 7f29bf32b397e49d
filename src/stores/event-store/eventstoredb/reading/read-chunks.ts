import { StoreUnavailable } from '../../../../kernel/store-errors.js';
import type { Semaphore } from '../bounded-calls.js';
import type { Connection } from '../connection/connection.js';
import { AccessRefused, accessRefused, isTransient, NoAnswer, type Right } from '../failures.js';
import { Inbox, type Source } from '../inbox.js';
import { type RetryBudget, retryBudget, type Timing } from '../retry-budget.js';
import type { StatusPart } from '../status.js';

type ClientRead = ReturnType<Connection['readAll']> | ReturnType<Connection['readStream']>;

/** Beyond this number of waiting items, the server waits. */
export const pageSize = 256;
export const buffer = { highWaterMark: pageSize };
export const everything = Number.MAX_SAFE_INTEGER;

export const asCall = (stream: ClientRead, needs: Right): StreamingCall => ({
  stream,
  needs,
  cancel: () => stream.cancel(),
});

export const common = { requiresLeader: true };

export type ReadDependencies = {
  semaphore: Semaphore;
  timing: Timing;
  isOpen: () => boolean;
  calls: StatusPart;
};

export type StreamingCall = {
  stream: Source;
  needs: Right;
  cancel: () => Promise<void>;
};

export const storeClosed = () => new StoreUnavailable('the event store is closed');

/** Delivers the items that have arrived each time the consumer asks; ends the call when it leaves. */
export type ChunkReader = <Item>(open: () => StreamingCall, budget?: RetryBudget) => AsyncGenerator<readonly Item[]>;

/**
 * `open` starts a call after the last item delivered, again after failures. Without the caller's retry budget, each
 * chunk has a new one.
 */
export function chunkReader({ semaphore, timing, isOpen, calls }: ReadDependencies): ChunkReader {
  async function* once<Item>(call: StreamingCall, leftMs: () => number): AsyncGenerator<readonly Item[]> {
    const inbox = new Inbox<Item>(call.stream);
    try {
      for (;;) {
        const items = inbox.take(pageSize);
        if (items.length > 0) {
          yield items;
          if (!isOpen()) throw storeClosed();
        } else if (inbox.ended) {
          const { error } = inbox.ended;
          if (error !== undefined) throw accessRefused(error, call.needs) ?? error;
          return;
        } else if (!(await inbox.arrival(Math.min(timing.callMs, leftMs())))) {
          throw new NoAnswer('a read was not answered in time');
        }
      }
    } finally {
      // fails where the call was never made; that error was thrown above
      if (!inbox.ended) call.cancel().catch(() => undefined);
    }
  }

  return async function* read<Item>(open: () => StreamingCall, budget?: RetryBudget) {
    let current = budget ?? retryBudget(timing, calls);
    for (;;) {
      if (!isOpen()) throw storeClosed();
      const release = await semaphore.acquire(current.leftMs());
      let failure: unknown;
      try {
        for await (const items of once<Item>(open(), () => current.leftMs())) {
          calls.working();
          yield items;
          if (!budget) current = retryBudget(timing, calls);
        }
        return;
      } catch (error) {
        failure = error;
      } finally {
        release();
      }
      if (failure instanceof AccessRefused) throw current.giveUp(failure);
      if (!isTransient(failure)) throw failure;
      await current.afterFailure(failure);
    }
  };
}
