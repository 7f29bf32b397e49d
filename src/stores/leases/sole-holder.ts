import type { Logger } from 'pino';
import { repeatUntilAborted } from '../../kernel/unless-aborted.js';
import { type LeaseStatus, type Leases, partName } from './leases.js';

export type SoleHolder = {
  log: Logger;
  /** Pause before ended work runs again. */
  retryMs?: number;
};

/** Leases of the only process that has the store: holders of one lease get it one after the other. */
export function soleHolder({ log, retryMs = 1_000 }: SoleHolder): Leases {
  const terms = new Map<string, bigint>();
  /** Ends by name: each resolves once the lease is free and not awaited. */
  const ends = new Map<string, Promise<unknown>>();

  const hold: Leases['hold'] = (name, work) => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve));
    let status: LeaseStatus = { name, held: false, holder: undefined };

    async function lead(): Promise<void> {
      const term = (terms.get(name) ?? 0n) + 1n;
      terms.set(name, term);
      status = { name, held: true, holder: 'this process' };
      try {
        await work({ term, signal, isHeld: () => status.held });
        if (!signal.aborted) throw new Error(`the work under the lease ${name} has ended`);
      } finally {
        status = { ...status, held: false, holder: undefined };
      }
    }

    function onFailure(error: unknown): number {
      log.error({ err: error, lease: name }, 'the work under a lease has failed, and is retried');
      status = { ...status, error: { message: error instanceof Error ? error.message : String(error) } };
      return retryMs;
    }

    async function run(before: Promise<unknown> | undefined): Promise<void> {
      await Promise.race([before, stopped]);
      await repeatUntilAborted(signal, lead, onFailure);
    }

    const before = ends.get(name);
    const running = run(before);
    ends.set(name, Promise.all([before, running]));
    return {
      status: () => status,
      async stop() {
        stopping.abort();
        await running;
      },
    };
  };

  return {
    hold,
    share(name, count, work) {
      const parts = Array.from({ length: count }, (_, part) =>
        hold(partName(name, part, count), (lease) => work(part, lease)),
      );
      return {
        status: () => parts.map(({ status }) => status()),
        async stop() {
          await Promise.all(parts.map(({ stop }) => stop()));
        },
      };
    },
  };
}
