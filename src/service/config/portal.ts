import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type CustomerAction, customerActions } from '../../admin/api/routing/admin-route.js';
import { textForPeople } from '../../kernel/input/texts.js';
import type { BrandSettings } from '../../site/brand/brand-files.js';
import { themeOf } from '../../site/brand/theme.js';
import { consoleOpenId } from './login-providers.js';
import { partsOf, setting } from './schema.js';
import { parseJson } from './setting-values.js';

const defaultName = 'Flow Hooks';

/** `openid`: the identity provider with which operators sign in; undefined: with admin keys only. */
export const consoleSettings = z.object({
  name: setting('CONSOLE_NAME', brandName, defaultName),
  logo: setting('CONSOLE_LOGO', logo),
  colours: setting('CONSOLE_COLOURS', colours),
  openid: setting('CONSOLE_OPENID', consoleOpenId),
});

/** `development`: pages over http may embed it. */
export const portal = (development: boolean) => {
  const origins = (text: string) => partsOf(text).map((part) => origin(part, development));
  const allowed = customerActions.filter((action) => action !== 'register');
  return z.object({
    origins: setting('PORTAL_ORIGINS', origins, []),
    name: setting('PORTAL_NAME', brandName, defaultName),
    logo: setting('PORTAL_LOGO', logo),
    colours: setting('PORTAL_COLOURS', colours),
    actions: setting('PORTAL_ALLOWS', actions, allowed),
  });
};

/** An origin, or all subdomains of a host, for `frame-ancestors`. */
function origin(text: string, development: boolean): string {
  const given = text.replace('//*.', '//');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  // A URL may have ; and , in its host, which would begin another directive or source of CSP.
  if (
    url?.origin !== given ||
    !/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(url.host) ||
    given.includes('*') ||
    !/^https?:$/.test(url.protocol)
  )
    throw new Error(`must be origins such as https://app.example.com or https://*.example.com, but has '${text}'`);
  if (url.protocol === 'http:' && !development) throw new Error(`must be https origins, but has '${text}'`);
  return text;
}

function actions(text: string): readonly CustomerAction[] {
  const named = partsOf(text);
  if (text === 'none') return [];
  const unknown = named.find((name) => !customerActions.some((action) => action === name));
  if (unknown !== undefined)
    throw new Error(`must be none, or some of ${customerActions.join(',')}, but has '${unknown}'`);
  return customerActions.filter((action) => named.includes(action));
}

function brandName(text: string): string {
  const { data, error } = textForPeople(60).safeParse(text);
  if (data === undefined) throw new Error(error?.issues[0]?.message);
  return data;
}

/** Limit of a small image, which browsers keep. */
const maxLogoBytes = 65_536;

function logo(file: string): BrandSettings['logo'] {
  const [type] = ['svg', 'png'].filter((each) => file.endsWith(`.${each}`));
  if (type !== 'svg' && type !== 'png') throw new Error('must be a file .svg or .png');
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`); // of the file system
  }
  if (content.length > maxLogoBytes) throw new Error(`must have at most ${maxLogoBytes} bytes`);
  return { type, content, hash: createHash('sha256').update(content).digest('base64url').slice(0, 16) };
}

function colours(text: string): BrandSettings['colours'] {
  const given = parseJson(
    text,
    z.strictObject({ light: z.string(), dark: z.string() }),
    'a JSON object such as {"light": "#0b57d0", "dark": "#a8c7fa"}',
  );
  themeOf(given); // checks that they can be read
  return given;
}
