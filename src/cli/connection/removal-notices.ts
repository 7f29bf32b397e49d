import type { Close } from '../../kernel/closing.js';
import type { OnRemoved } from '../../listeners/commands/operate-listener.js';
import { printWarning } from '../output.js';
import { readSettings } from './settings.js';

/**
 * Notifies platforms of removed listeners as the service does with these settings; undefined without NOTIFY_REMOVED. The close waits for
 * all notices, and each that failed is a warning.
 */
export async function removalNoticesOf(onClose: (close: Close) => void): Promise<OnRemoved | undefined> {
  if (process.env.NOTIFY_REMOVED === undefined) return undefined; // most commands load no HTTP client
  const { readDeliveries, readMode } = await import('../../service/config/config.js');
  const deliveries = readSettings((settings) => readDeliveries(settings, readMode(settings)));
  if (!deliveries.notifyRemoved) return undefined;
  const { removalNotices } = await import('../../deliveries/posting/removal-notice.js');
  const { targetGuard } = await import('../../deliveries/target-guard/target-guard.js');
  const { notify, stop } = removalNotices({
    guard: targetGuard(deliveries.targets),
    log: {
      info: () => undefined,
      warn: ({ listenerId, status, error }, message) =>
        printWarning(`${message}: ${listenerId} (${error ?? `answered ${status}`})`),
    },
  });
  const underWay: Promise<unknown>[] = [];
  onClose(async () => {
    await Promise.all(underWay);
    await stop(0); // its connections would keep the process
  });
  return (details) => void underWay.push(notify(details));
}
