import { untilAborted } from '../../kernel/unless-aborted.js';
import type { Leases } from '../../stores/leases/leases.js';
import { type FanOut, startFanOut } from './fan-out.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { isInPartition, type PartitionLease } from './partitions.js';

/**
 * Fans out the partitions whose leases this instance holds, and lists these in `owned`. `handOverMs`: deliveries under way end within
 * it. An instance that is cut off leaves them to others.
 */
export function fanOutUnderLeases(
  leases: Leases,
  settings: FanOutSettings & { handOverMs: number; isCutOff: () => boolean; onOwned: () => void },
  owned: Map<number, Pick<PartitionLease, 'isHeld'>>,
): Pick<FanOut, 'stop' | 'status'> {
  const fanOut = startFanOut(settings);
  async function own(partition: number, lease: PartitionLease): Promise<void> {
    fanOut.hold(partition, lease);
    owned.set(partition, { isHeld: () => lease.isHeld() && !lease.signal.aborted }); // none starts once it is to be released
    settings.onOwned();
    await untilAborted(lease.signal);
    owned.delete(partition);
    await fanOut.release(partition);
    // Without it, the next holder continues from the checkpoint, and repeats deliveries under way.
    const { count, queue, clock, handOverMs } = settings;
    await queue.handOver(isInPartition(partition, count), clock() + handOverMs).catch(() => undefined);
  }

  const shared = leases.share('fan-out', settings.count, own, settings.isCutOff);
  return {
    async stop() {
      await shared.stop();
      await fanOut.stop();
    },
    status() {
      const status = fanOut.status();
      return { ...status, error: status.error ?? shared.status().find(({ error }) => error)?.error };
    },
  };
}
