import { resolve } from 'node:path';
import { version } from '../kernel/version.js';
import type { Config } from './config/config.js';
import { walk } from './walk.js';

/** What a start prints: the mode, where things are and, in development mode, a walk to paste into another terminal. */
export function welcome(config: Config, origin: string): string {
  const { mode, dataDirectory, http, signIn } = config;
  if (mode === 'production') {
    return `Flow Hooks ${version} in production mode, data in ${dataDirectory}, serving on ${origin}`;
  }
  // The built-in page is served unless a whole login is configured; its codes are believed unless those of another issuer are.
  const page = signIn.loginUrls && signIn.login ? '/oauth2' : '/sign-in';
  return [
    `Flow Hooks ${version} in development mode (it believes every caller, on loopback only), serving on ${origin}`,
    '',
    `  Sign-in    ${origin}${page}`,
    `  Data       ${dataDirectory} (the admin key is in admin-key.txt there)`,
    ...(signIn.login === undefined ? introduced(walk(walked(http, dataDirectory, origin)), config) : []),
  ].join('\n');
}

const walked = ({ hooksPrefix }: Config['http'], dataDirectory: string, origin: string) => ({
  ...{ origin, hooksPrefix },
  dataDirectory: dataDirectory === resolve('data') ? undefined : dataDirectory,
});

const introduced = (commands: readonly string[], { cluster }: Config): readonly string[] => [
  '',
  'A walk, to paste into a second terminal in this folder' +
    `${cluster ? ', with the same EVENTSTOREDB_URL and MONGODB_URL' : ''}, line by line or as a whole:`,
  '',
  ...commands.map((line) => `  ${line}`),
];
