import { z } from 'zod';
import { setting } from '../kernel/settings/setting.js';
import { durationWithin, integer } from '../kernel/settings/texts.js';

/** Limit below those of one append and of a request. */
export const maxEventBytes = setting('MAX_EVENT_BYTES', integer(1_024, 1_000_000).prefault('262144'));

export const flowSettings = z.object({
  maxEventBytes,
  /** Time after the last event of a flow stream; undefined: never. */
  retentionMs: setting('FLOW_RETENTION', durationWithin('1s', '3650d').optional()),
});
