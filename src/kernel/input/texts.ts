import { z } from 'zod';

const notString: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? undefined : 'must be a string');

/** Control characters, and line and paragraph separators. */
const controls = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029';
/** Embeddings, overrides and isolates of the direction of text: with them, a text shows as another one (UTR #36, 2.10). */
const overrides = '\\u202a-\\u202e\\u2066-\\u2069';
/** Format characters and private use, as far as the regular expressions of every language can name them. */
const invisible =
  '\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u2060-\\u2064\\u206a-\\u206f\\ue000-\\uf8ff\\ufeff\\ufff9-\\ufffb';

type TextRule = {
  /** Pattern of a single character. */
  character: RegExp;
  /** The same in the API description, as the contents of a negated class. */
  described: string;
  /** Name of the characters, in the message. */
  meaning: string;
};

const textOf =
  ({ character, described, meaning }: TextRule) =>
  /** `notText`: message for other types, and for a missing value. */
  (maxLength: number, notText?: string) =>
    z
      .string({ error: notText ?? notString })
      .regex(new RegExp(`^${character.source}{1,${maxLength}}$`, 'u'), {
        error: `must be 1 to ${maxLength} ${meaning}`,
      })
      .meta({ pattern: `^[^${described}]+$`, minLength: 1, maxLength });

/** Text of 1 to `maxLength` printable characters, for programs: two texts that look alike are alike. */
export const printableText = textOf({
  character: /[^\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u,
  described: `${controls}${overrides}${invisible}`,
  meaning: 'printable characters',
});

/** Text of 1 to `maxLength` characters in any script, with the joiners of scripts and emoji: names, descriptions, reasons. */
export const textForPeople = textOf({
  character: new RegExp(`[^${controls}${overrides}\\p{Cs}]`, 'u'),
  described: `${controls}${overrides}`,
  meaning: 'characters, without control characters and controls of the direction of text',
});

/** IDs from other systems: organisations, users, flow events, flows. */
export const opaqueId = printableText(256);

/** Lower case; input may be in either (RFC 9562 §4). */
export const canonicalUuid = (text: string): string => text.toLowerCase();

export const uuidParameter = (error: string) => z.uuid({ error }).transform(canonicalUuid);

export const listenerIdParameter = uuidParameter('must be the ID of a listener');
