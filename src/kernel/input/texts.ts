import { z } from 'zod';

/**
 * The part of the rule that regular expressions of every language can say: no control characters, no line separators.
 */
const describedCharacter = '[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u2028\\u2029]';

const notString: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? undefined : 'must be a string');

/** Text of 1 to `maxLength` printable characters. `notText`: message for other types, and for a missing value. */
export const printableText = (maxLength: number, notText?: string) =>
  z
    .string({ error: notText ?? notString })
    .regex(new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxLength}}$`, 'u'), {
      error: `must be 1 to ${maxLength} printable characters`,
    })
    .meta({ pattern: `^${describedCharacter}{1,${maxLength}}$`, minLength: 1, maxLength });

/** IDs from other systems: organisations, users, flow events, flows. */
export const opaqueId = printableText(256);

/** Lower case; input may be in either (RFC 9562 §4). */
export const canonicalUuid = (text: string): string => text.toLowerCase();

export const uuidParameter = (error: string) => z.uuid({ error }).transform(canonicalUuid);

export const listenerIdParameter = uuidParameter('must be the ID of a listener');
