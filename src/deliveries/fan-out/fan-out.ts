import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import { fanOutBeginning } from './fan-out-beginning.js';
import { FanOutPass } from './fan-out-pass.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { streamOrganisations } from './stream-organisations.js';

export type FanOut = {
  readonly stop: () => Promise<void>;
  /** `position`: everything up to it has been enqueued. `error`: why the fan-out does not continue, if it does not. */
  readonly status: () => { readonly position: bigint | undefined; readonly error: unknown };
};

const filter = { categories: ['flow', 'listener', 'replay'] };
/**
 * After a batch of this many events, the next one is read with a delay: events that arrive meanwhile share a batch, which costs
 * less for each of them.
 */
const many = { events: 8, gatherMs: 3 };

/**
 * Turns flow events, in their order, into deliveries to the hooks that were registered when they happened. A failure makes it
 * wait and try again, never skip an event; an event that cannot be decoded, or that belongs to no organisation, is set aside.
 */
export function startFanOut(settings: FanOutSettings): FanOut {
  const { store, log } = settings;
  const trouble = watchTrouble(log, 'fan-out');
  const requireOwnStream = streamOrganisations(store);
  const stopping = new AbortController();
  const { signal } = stopping;
  let position: bigint | undefined;

  /** Reads from the checkpoint until it is stopped; throws what keeps it from continuing. */
  async function follow(): Promise<void> {
    const from = await fanOutBeginning(settings);
    const pass = new FanOutPass(settings, { from, signal, requireOwnStream });
    position = from;
    for await (const batch of store.subscribe({ from, filter, signal })) {
      const hasEnqueued = await pass.handle(batch);
      position = batch.position;
      trouble.over();
      if (hasEnqueued && batch.events.length >= many.events) await sleepUnlessAborted(many.gatherMs, signal);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await follow();
      } catch (error) {
        if (signal.aborted) return;
        await sleepUnlessAborted(trouble.met(error), signal);
      }
    }
  }

  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
    status: () => ({ position, error: trouble.current() }),
  };
}
