import pino from 'pino';
import { readDeliveries, readMode } from '../config.js';
import { type NoticeResult, type RemovedHook, removalNotices } from '../deliveries/removal-notice.js';
import { targetGuard } from '../deliveries/target-guard.js';
import type { SettingsReader } from '../settings.js';

export type RemovalNotice = (hook: RemovedHook) => Promise<NoticeResult>;

/**
 * Tells platforms of removed hooks as the service does with the same settings: undefined where NOTIFY_REMOVED is not set.
 * Throws `InvalidSetting`.
 */
export function removalNoticeOf(settings: SettingsReader): RemovalNotice | undefined {
  const deliveries = readDeliveries(settings, readMode(settings));
  for (const problem of settings.problems) throw problem;
  if (!deliveries.notifyRemoved) return undefined;
  return removalNotices({ guard: targetGuard(deliveries), log: pino({ level: 'silent' }) }); // what came of it is printed
}

export const toldSentence = ({ status, error }: NoticeResult): string =>
  status === undefined
    ? `; its platform could not be told (${error})`
    : `; its platform was told, and answered ${status}`;
