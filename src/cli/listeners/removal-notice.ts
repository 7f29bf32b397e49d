import pino from 'pino';
import { type NoticeResult, removalNotices, wasTold } from '../../deliveries/posting/removal-notice.js';
import { targetGuard } from '../../deliveries/target-guard/target-guard.js';
import type { OnRemoved } from '../../listeners/operate-listener.js';
import { readDeliveries, readMode } from '../../service/config/config.js';
import type { SettingsReader } from '../../service/config/settings.js';

type CommandNotices = {
  readonly onRemoved: OnRemoved;
  /** The result of each notice, once all have ended. No notice is sent after that. */
  readonly results: () => Promise<readonly NoticeResult[]>;
};

/** Notifies platforms of removed listeners as the service does with these settings; undefined without NOTIFY_REMOVED. */
export function removalNoticesOf(settings: SettingsReader): CommandNotices | undefined {
  const deliveries = readDeliveries(settings, readMode(settings));
  if (!deliveries.notifyRemoved) return undefined;
  const log = pino({ level: 'silent' }); // the results are printed instead
  const { tell, stop } = removalNotices({ guard: targetGuard(deliveries.targets), log });
  const underWay: Promise<NoticeResult>[] = [];
  return {
    onRemoved: (details) => {
      underWay.push(tell(details));
    },
    async results() {
      const results = await Promise.all(underWay);
      await stop(0); // its connections would keep the process
      return results;
    },
  };
}

/** The end of a command's sentence about one removed listener. */
export function noticeSentence(result: NoticeResult): string {
  const { status, error } = result;
  if (error !== undefined) return `; its platform could not be notified (${error})`;
  return `; its platform ${wasTold(result) ? 'was notified' : 'refused the notice'}, and answered ${status}`;
}

/** Numbers of listeners whose platform was notified, and was not. */
export type NoticeCounts = { readonly told: number; readonly untold: number };

export function countNotices(results: readonly NoticeResult[]): NoticeCounts {
  const told = results.filter(wasTold).length;
  return { told, untold: results.length - told };
}
