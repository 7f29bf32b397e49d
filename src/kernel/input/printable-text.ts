import { z } from 'zod';

/** A text of 1 to `maxLength` printable characters. `notText`: the message for values of other types. */
export const printableText = (maxLength: number, notText = 'must be a string') =>
  z.string({ error: notText }).regex(new RegExp(`^[^\\p{C}\\p{Zl}\\p{Zp}]{1,${maxLength}}$`, 'u'), {
    error: `must be 1 to ${maxLength} printable characters`,
  });
