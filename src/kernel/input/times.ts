import { z } from 'zod';

/**
 * Reads a time as RFC 3339 §5.6 permits: letters in lower case, and a leap second, which becomes the second before it, as few programs read
 * it.
 */
function canonicalTime(sent: string): string {
  const text = sent.replace(/(?<=\d)[tz]/g, (letter) => letter.toUpperCase());
  const before = text.replace(/:60(?=(\.\d+)?(Z|[+-]\d\d:\d\d)$)/, ':59');
  const isLeapSecond = before !== text && /T23:59:59/.test(new Date(before.replace(/\.\d+/, '')).toJSON() ?? '');
  return isLeapSecond ? before : text;
}

const isoTime = z.iso.datetime({ offset: true });
const noTime = 'must be an ISO 8601 date and time with its offset';

const time = z
  .string({ error: ({ input }) => (input === undefined ? undefined : noTime) })
  .overwrite(canonicalTime)
  .refine((text) => isoTime.safeParse(text).success, { error: noTime, abort: true })
  .refine((text) => /^\d/.test(new Date(text).toISOString()), { error: 'must be within the years 0 to 9999 in UTC' });

/** The part of the rule that regular expressions of every language can say. */
const described = (fraction: string) => ({
  format: 'date-time',
  pattern: `^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d${fraction})?([Zz]|[+-]\\d{2}:\\d{2})$`,
});

/** ISO 8601 with offset: `2026-01-31T13:00:00.5+01:00`. */
export const timestamp = time.meta(described('+'));

/** Receivers in other languages read no more digits, and no earlier times. */
export const occurrence = time
  .refine((text) => !/\.\d{10}/.test(text), { error: 'must have at most 9 digits after the second' })
  .refine((text) => Date.parse(text) >= 0, { error: 'must be in 1970 or later' })
  .meta(described('{1,9}'));
