import { once } from 'node:events';
import { sleepUnlessAborted } from '../../kernel/sleep-unless-aborted.js';
import { watchTrouble } from '../../kernel/trouble.js';
import type { Leases } from '../../stores/leases/leases.js';
import { fanOutBeginning } from './fan-out-beginning.js';
import { FanOutPass } from './fan-out-pass.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { fanOutShares } from './pace.js';
import { streamOrganisations } from './stream-organisations.js';

export type FanOutStatus = {
  readonly position: bigint | undefined;
  readonly organisationsWaiting: number;
  readonly error: unknown;
};

export type FanOut = {
  readonly stop: () => Promise<void>;
  readonly status: () => FanOutStatus;
};

const filter = { categories: ['flow', 'listener', 'replay'] };
/** Events that arrive during this pause share a batch, which costs less for each of them. */
const many = { events: 8, gatherMs: 3 };

/**
 * Turns flow events, in their order, into deliveries to the listeners of their positions. After a failure it tries
 * again and skips no event; an event that cannot be decoded, or belongs to no organisation, is set aside.
 */
export function startFanOut(settings: FanOutSettings): FanOut {
  const { store, log } = settings;
  const trouble = watchTrouble(log, 'fan-out');
  const requireOwnStream = streamOrganisations(store);
  const stopping = new AbortController();
  const { signal } = stopping;
  const shareOf = fanOutShares();
  let position: bigint | undefined;
  let current: FanOutPass | undefined;

  async function follow(): Promise<void> {
    const from = await fanOutBeginning(settings);
    const failing = new AbortController();
    const onFailure = (error: unknown) => failing.abort(error);
    const ending = AbortSignal.any([signal, failing.signal]);
    const pass = new FanOutPass(settings, { from, signal: ending, requireOwnStream, shareOf, onFailure });
    position = from;
    current = pass;
    try {
      await pass.begin();
      for await (const batch of store.subscribe({ from, filter, signal: ending })) {
        const hasEnqueued = await pass.handle(batch);
        position = batch.position;
        trouble.over();
        if (hasEnqueued && batch.events.length >= many.events) await sleepUnlessAborted(many.gatherMs, ending);
      }
      failing.signal.throwIfAborted();
    } finally {
      failing.abort();
      await pass.ended();
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
    status: () => ({
      position,
      organisationsWaiting: current?.organisationsWaiting ?? 0,
      error: trouble.current(),
    }),
  };
}

/** Fans out while this instance holds the lease `fan-out`. The queue ignores checkpoints of an earlier term. */
export function fanOutUnderLease(
  leases: Leases,
  settings: Omit<FanOutSettings, 'term'>,
  { count, owned }: { readonly count: number; readonly owned: Set<number> },
): FanOut {
  let current: FanOut | undefined;
  const held = leases.hold('fan-out', async ({ term, signal }) => {
    current = startFanOut({ ...settings, term });
    for (let partition = 0; partition < count; partition += 1) owned.add(partition);
    if (!signal.aborted) await once(signal, 'abort');
    owned.clear();
    await current.stop();
    current = undefined;
  });
  return {
    stop: held.stop,
    status: () => current?.status() ?? { position: undefined, organisationsWaiting: 0, error: held.status().error },
  };
}
