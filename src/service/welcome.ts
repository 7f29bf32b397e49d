import { resolve } from 'node:path';
import { version } from '../kernel/version.js';
import type { Config } from './config/config.js';
import { walk } from './walk.js';

/** The message after a start: the mode, the addresses and, in development mode, commands to paste into another terminal. */
export function welcome(config: Config, origin: string): string {
  const { mode, dataDirectory, http, signIn } = config;
  if (mode === 'production') {
    return `Flow Hooks ${version} in production mode, data in ${dataDirectory}, serving on ${origin}`;
  }
  // The built-in page is served unless a login page and its codes are configured.
  const hasPage = (signIn.loginUrls && signIn.login) || Object.keys(signIn.providers).length > 0;
  const page = hasPage ? '/oauth2' : '/sign-in';
  return [
    `Flow Hooks ${version} in development mode (it believes every caller, on loopback only), serving on ${origin}`,
    '',
    `  Console    ${origin}/console`,
    `  API        ${origin}/docs`,
    `  Sign-in    ${origin}${page}`,
    `  Data       ${dataDirectory} (the admin key is in admin-key.txt there)`,
    ...(signIn.login === undefined ? withIntroduction(walk(walkedService(http, dataDirectory, origin)), config) : []),
  ].join('\n');
}

const walkedService = ({ hooksPrefix }: Config['http'], dataDirectory: string, origin: string) => ({
  origin,
  hooksPrefix,
  dataDirectory: dataDirectory === resolve('data') ? undefined : dataDirectory,
});

const withIntroduction = (commands: readonly string[], { cluster }: Config): readonly string[] => [
  '',
  'A walk, to paste into a second terminal in this folder' +
    `${cluster ? ', with the same EVENTSTOREDB_URL and MONGODB_URL' : ''}, line by line or as a whole:`,
  '',
  ...commands.map((line) => `  ${line}`),
];
