import { Observable, share } from 'rxjs';
import type { Failures } from '../../kernel/failures.js';
import type { EventStore } from '../../stores/event-store/event-store.js';

/** Time for the views to handle an event, before pages are read again. */
const viewDelayMs = 200;

/**
 * Emits after any instance has appended events of these categories. One subscription to the store for all watchers,
 * while there are any; retried after a failure.
 */
export const appendedEvents = (
  store: Pick<EventStore, 'subscribe'>,
  categories: readonly string[],
  failures: Pick<Failures, 'record' | 'recovered'>,
): Observable<void> =>
  new Observable<void>((wake) => {
    const stopped = new AbortController();
    let waking: NodeJS.Timeout | undefined;
    let retrying: NodeJS.Timeout | undefined;
    async function follow(): Promise<void> {
      try {
        const batches = store.subscribe({ from: 'end', filter: { categories }, signal: stopped.signal });
        for await (const { events } of batches) {
          failures.recovered();
          if (events.length > 0) waking ??= setTimeout(wakeUp, viewDelayMs);
        }
      } catch (error) {
        if (!stopped.signal.aborted) retrying = setTimeout(() => void follow(), failures.record(error));
      }
    }
    function wakeUp(): void {
      waking = undefined;
      wake.next();
    }
    void follow();
    return () => {
      stopped.abort();
      clearTimeout(waking);
      clearTimeout(retrying);
    };
  }).pipe(share());
