import { z } from 'zod';
import { parsePosition } from '../kernel/input/parse-input.js';
import { listenerIdParameter, opaqueId } from '../kernel/input/texts.js';
import { timestamp } from '../kernel/input/times.js';
import { normalisedHookUrl } from '../listeners/hook-url.js';

/** A time, or a position in this store; inclusive. */
export type Moment = Date | bigint;

const instant = timestamp.transform((text) => new Date(text));

const timeRange = { from: instant.optional(), to: instant.optional() };

const hookUrl = z
  .string()
  .transform((text) => normalisedHookUrl(text))
  .optional();
export const historyRequest = {
  orgId: opaqueId,
  hookUrl,
  listenerId: listenerIdParameter.optional(),
  /** Includes sessions and consents of this user; true: of all users. */
  user: z.union([z.literal(true), opaqueId], { error: 'must be a user, or true for every user' }).optional(),
  ...timeRange,
};

export const serviceHistoryRequest = timeRange;

const moment = z
  .string({ error: 'must be a time such as 2026-01-31T12:00:00Z, or a position' })
  .refine((text) => parsePosition(text) !== undefined || timestamp.safeParse(text).success, {
    error: 'must be a time such as 2026-01-31T12:00:00Z, or a position',
  })
  .transform((text): Moment => parsePosition(text) ?? new Date(text));

export const asOfRequest = { orgId: opaqueId, hookUrl, at: moment };

export const differenceRequest = { orgId: opaqueId, from: moment, to: moment };
