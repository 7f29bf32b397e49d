import { once } from 'node:events';
import type { Leases } from '../../stores/leases/leases.js';
import { type FanOut, startFanOut } from './fan-out.js';
import type { FanOutSettings } from './fan-out-settings.js';

/** Fans out while this instance holds the lease `fan-out`. The queue ignores checkpoints of an earlier term. */
export function fanOutUnderLease(leases: Leases, settings: Omit<FanOutSettings, 'term'>): FanOut {
  let current: FanOut | undefined;
  const held = leases.hold('fan-out', async ({ term, signal }) => {
    current = startFanOut({ ...settings, term });
    if (!signal.aborted) await once(signal, 'abort');
    await current.stop();
    current = undefined;
  });
  return {
    stop: held.stop,
    status: () => current?.status() ?? { position: undefined, organisationsWaiting: 0, error: held.status().error },
  };
}
