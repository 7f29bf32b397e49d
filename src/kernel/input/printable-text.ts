import { z } from 'zod';

/** Without control characters and line separators: all of the rule that regular expressions of every language can say. */
const describedCharacter = '[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u2028\\u2029]';

/** A missing value has the message of `parseInput`. */
const notString: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? undefined : 'must be a string');

/** A text of 1 to `maxLength` printable characters. `notText`: the message for values of other types, and for none. */
export const printableText = (maxLength: number, notText?: string) =>
  z
    .string({ error: notText ?? notString })
    .regex(new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxLength}}$`, 'u'), {
      error: `must be 1 to ${maxLength} printable characters`,
    })
    .meta({ pattern: `^${describedCharacter}{1,${maxLength}}$`, minLength: 1, maxLength });
