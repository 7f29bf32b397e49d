import { createHash } from 'node:crypto';

/** The accent colour of links and buttons on light and on dark pages: `#rrggbb`. */
export type BrandColours = { light: string; dark: string };

type Colour = readonly [red: number, green: number, blue: number];

/** Backgrounds of `assets/console/console.css` under accent text: ground, surface, raised. */
export const backgrounds = {
  light: ['#f6f7f9', '#ffffff', '#fafbfc'],
  dark: ['#0f1218', '#171b24', '#1c212c'],
} as const;

/** WCAG 2.2, 1.4.3: for text of normal size. */
const minContrast = 4.5;

/** Share of the accent in the background of the current entry of the navigation. */
const softShare = 0.1;
/** Share of black or white in the accent under the pointer. */
const strongShare = 0.2;

/** Throws an error that follows the setting's name if a colour would be unreadable. */
export function themeOf(colours: BrandColours): { css: string; hash: string } {
  const css = `:root{${rules(colours.light, 'light')}}\n@media (prefers-color-scheme:dark){:root{${rules(colours.dark, 'dark')}}}\n`;
  return { css, hash: createHash('sha256').update(css).digest('base64url').slice(0, 16) };
}

function rules(text: string, scheme: keyof typeof backgrounds): string {
  const accent = parsed(text);
  const soft = mixed(accent, parsed(backgrounds[scheme][1]), softShare);
  for (const background of [...backgrounds[scheme].map(parsed), soft]) {
    const ratio = contrast(accent, background);
    if (ratio < minContrast) {
      throw new Error(
        `must have colours with a contrast of at least ${minContrast} on ${scheme} pages, but ${text} has ${ratio.toFixed(1)} on ${hex(background)}`,
      );
    }
  }
  const strong = mixed(parsed(scheme === 'light' ? '#000000' : '#ffffff'), accent, strongShare);
  const on = contrast(accent, [255, 255, 255]) >= minContrast ? '#ffffff' : '#000000';
  return `--accent:${hex(accent)};--accent-strong:${hex(strong)};--accent-soft:${hex(soft)};--on-accent:${on}`;
}

function parsed(text: string): Colour {
  const [, red, green, blue] = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined)
    throw new Error(`must have colours such as #0b57d0, but has '${text}'`);
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

const hex = (colour: Colour): string => `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** A share of one colour, from 0 to 1, in another. */
const mixed = (one: Colour, other: Colour, share: number): Colour => {
  const part = (index: 0 | 1 | 2) => Math.round(one[index] * share + other[index] * (1 - share));
  return [part(0), part(1), part(2)];
};

/** The contrast ratio of two colours: WCAG 2.2, from 1 to 21. */
function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2: relative luminance, in sRGB. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
