import pino from 'pino';
import { type NoticeResult, removalNotices, wasTold } from '../../deliveries/posting/removal-notice.js';
import { targetGuard } from '../../deliveries/target-guard/target-guard.js';
import type { OnRemoved } from '../../registrations/listeners/operate-listener.js';
import { readDeliveries, readMode } from '../../service/config/config.js';
import type { SettingsReader } from '../../service/config/settings.js';

export type CommandNotices = {
  readonly onRemoved: OnRemoved;
  /** What came of each notice, once all have ended: nobody is told of anything after that. */
  readonly results: () => Promise<readonly NoticeResult[]>;
};

/**
 * Tells platforms of removed hooks as the service does with the same settings: undefined where NOTIFY_REMOVED is not set.
 * Throws `InvalidSetting`.
 */
export function removalNoticesOf(settings: SettingsReader): CommandNotices | undefined {
  const deliveries = readDeliveries(settings, readMode(settings));
  for (const problem of settings.problems) throw problem;
  if (!deliveries.notifyRemoved) return undefined;
  const log = pino({ level: 'silent' }); // what came of it is printed
  const { tell, stop } = removalNotices({ guard: targetGuard(deliveries), log });
  const underWay: Promise<NoticeResult>[] = [];
  return {
    onRemoved: (registration) => {
      underWay.push(tell(registration));
    },
    async results() {
      const results = await Promise.all(underWay);
      await stop(0); // its connections would keep the process
      return results;
    },
  };
}

export function toldSentence(result: NoticeResult): string {
  const { status, error } = result;
  if (error !== undefined) return `; its platform could not be told (${error})`;
  return `; its platform ${wasTold(result) ? 'was told' : 'refused to be told'}, and answered ${status}`;
}

/** What the commands that remove any number of hooks say of it. */
export type Told = { readonly told: number; readonly untold: number };

export function countTold(results: readonly NoticeResult[]): Told {
  const told = results.filter(wasTold).length;
  return { told, untold: results.length - told };
}
