import { resolve } from 'node:path';
import { version } from '../kernel/version.js';
import type { Config } from './config/config.js';

/** The message after a start: the mode, the addresses and, in development mode, commands to paste into another terminal. */
export function welcome(config: Config, origin: string): string {
  const { mode, dataDirectory, http, signIn, cluster } = config;
  if (mode === 'production') {
    const place = cluster ? 'EventStoreDB and MongoDB' : dataDirectory;
    return `Flow Hooks ${version} in production mode, data in ${place}, serving on ${origin}`;
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
  'A tour, to paste into a second terminal in this folder' +
    `${cluster ? ', with the same EVENTSTOREDB_URL and MONGODB_URL' : ''}, line by line or as a whole:`,
  '',
  ...commands.map((line) => `  ${line}`),
];

/** The service on which the commands run. */
type WalkedService = {
  /** Address as a URL prefix. */
  origin: string;
  hooksPrefix: string;
  /** Undefined: the default of `flow-hooks` in the current folder. */
  dataDirectory: string | undefined;
};

const listenerPort = 4000;

/**
 * Commands from subscribing to unsubscribing, for any POSIX shell: line by line, or pasted as one block, for which they wait
 * until the listener listens and until the delivery has arrived. The README shows the same.
 */
export function walk({ origin, hooksPrefix, dataDirectory }: WalkedService): readonly string[] {
  const cli = dataDirectory === undefined ? 'npx flow-hooks' : `npx flow-hooks --data-dir ${quoted(dataDirectory)}`;
  const curl = (path: string) => `curl -s ${quoted(`${origin}${path}`)}`;
  const listener = `"hookUrl":"http://127.0.0.1:${listenerPort}/hook"`;
  const asAda = "-H 'orgid: acme' -H 'userid: ada' -H 'Content-Type: application/json'";
  return [
    `${cli} listen --port ${listenerPort} &`,
    `curl -s --retry 30 --retry-delay 1 --retry-connrefused http://127.0.0.1:${listenerPort}/`,
    `${curl(`${hooksPrefix}/subscribe/flows`)} ${asAda} -d '{${listener},"subscriptionType":"flow.*"}'; echo`,
    `${curl('/api/flows')} ${asAda} -d '{"type":"flow.completed","data":{"total":42}}'; echo`,
    `sleep 2; ${cli} deliveries list --org acme`,
    `${curl(`${hooksPrefix}/unsubscribe/flows`)} ${asAda} -d '{${listener}}'; echo`,
    `${cli} flows publish --org acme --type flow.completed`,
    `sleep 2; ${cli} audit history --org acme`,
    'kill $!',
  ];
}

/** Quoted as one word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
