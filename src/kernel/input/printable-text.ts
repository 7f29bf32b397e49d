import { z } from 'zod';

/** Without control characters and line separators: all of the rule that regular expressions of every language can say. */
const describedCharacter = '[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u2028\\u2029]';

/** A text of 1 to `maxLength` printable characters. `notText`: the message for values of other types. */
export const printableText = (maxLength: number, notText = 'must be a string') =>
  z
    .string({ error: notText })
    .regex(new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxLength}}$`, 'u'), {
      error: `must be 1 to ${maxLength} printable characters`,
    })
    .meta({ pattern: `^${describedCharacter}{1,${maxLength}}$`, minLength: 1, maxLength });
