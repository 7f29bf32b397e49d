import type { Close } from '../../kernel/closing.js';
import type { OnRemoved } from '../../listeners/commands/operate-listener.js';
import { printWarning } from '../output.js';
import { commandSettings } from './settings.js';

/**
 * Notifies platforms of removed listeners as the service does with these settings; undefined without NOTIFY_REMOVED. The close waits for
 * all notices, and each that failed is a warning.
 */
export async function removalNoticesOf(onClose: (close: Close) => void): Promise<OnRemoved | undefined> {
  if (process.env.NOTIFY_REMOVED === undefined) return undefined; // most commands load no HTTP client
  const { notifyRemoved } = await import('../../deliveries/settings.js');
  if (!commandSettings(notifyRemoved)) return undefined;
  const { targetPolicy } = await import('./target-policy.js');
  const { removalNotices } = await import('../../deliveries/posting/removal-notice.js');
  const { targetGuard } = await import('../../deliveries/target-guard/target-guard.js');
  const { notify, stop } = removalNotices({
    guard: targetGuard(targetPolicy()),
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
