import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { textForPeople } from '../../kernel/input/texts.js';
import { setting } from '../../kernel/settings/setting.js';
import { json } from '../../kernel/settings/texts.js';
import { themeOf } from './theme.js';

/** Limit of a small image, which browsers keep. */
const maxLogoBytes = 65_536;

const logo = z
  .string()
  .regex(/\.(svg|png)$/, { error: 'must be a file .svg or .png', abort: true })
  .transform((file, { addIssue }) => {
    try {
      return { type: file.endsWith('svg') ? ('svg' as const) : ('png' as const), content: readFileSync(file) };
    } catch (error) {
      addIssue(`cannot be read: ${(error as Error).message}`); // of the file system
      return z.NEVER;
    }
  })
  .refine(({ content }) => content.length <= maxLogoBytes, `must have at most ${maxLogoBytes} bytes`)
  .transform((image) => ({
    ...image,
    hash: createHash('sha256').update(image.content).digest('base64url').slice(0, 16),
  }));

const colours = json(
  'a JSON object such as {"light": "#0b57d0", "dark": "#a8c7fa"}',
  z.strictObject({ light: z.string(), dark: z.string() }).superRefine((given, { addIssue }) => {
    try {
      themeOf(given);
    } catch (error) {
      addIssue((error as Error).message); // of `themeOf`
    }
  }),
);

/** Name, mark and colours of pages, by the settings `<prefix>_NAME`, `<prefix>_LOGO` and `<prefix>_COLOURS`. */
export const brandSettings = (prefix: 'CONSOLE' | 'PORTAL') =>
  z.object({
    /** Name at the top of the pages. */
    name: setting(`${prefix}_NAME`, textForPeople(60).prefault('Flow Hooks')),
    logo: setting(`${prefix}_LOGO`, logo.optional()),
    colours: setting(`${prefix}_COLOURS`, colours.optional()),
  });

export type BrandSettings = z.output<ReturnType<typeof brandSettings>>;
