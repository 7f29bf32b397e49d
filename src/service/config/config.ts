import { resolve } from 'node:path';
import { z } from 'zod';
import { eventNumberings } from '../../mcp/protocol.js';
import { keys } from './admin-keys.js';
import { deliveries, memoryProblem } from './deliveries.js';
import { limits, maxAgentSubscriptions, maxListeners } from './limits.js';
import { loginProviders, requireSeparateLogins } from './login-providers.js';
import { consoleSettings, portal } from './portal.js';
import { choice, duration, durationWithin, integer, readSettings, setting } from './schema.js';
import {
  allRoles,
  baseUrl,
  cidrs,
  clientHosts,
  keySource,
  loginUrls,
  nonEmptyList,
  pathPrefix,
  roles,
  trustedIssuers,
} from './setting-values.js';
import { dataDirectoryGiven, type Environment, type InvalidSetting, type Reject, settingText } from './settings.js';
import { cluster, maxEventBytes, tokens } from './shared-settings.js';
import { type UnknownSetting, unknownSettings } from './unknown-settings.js';
import { protections, readUnsafe, type UnsafeSetting } from './unsafe-settings.js';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

export const mode = setting('MODE', choice('development', 'production'), 'development');

const http = (development: boolean) =>
  z.object({
    host: setting('HOST', String, development ? '127.0.0.1' : '0.0.0.0'),
    /** 0: any free port. */
    port: setting('PORT', integer(0, 65_535), 3_000),
    hooksPrefix: setting('HOOKS_PREFIX', pathPrefix, '/api/hooks'),
    publicUrl: setting('PUBLIC_URL', baseUrl),
    trustedProxies: setting('TRUSTED_PROXIES', cidrs, []),
    trustedGateways: setting('TRUSTED_GATEWAYS', cidrs, []),
    maxConcurrentRequests: setting('MAX_CONCURRENT_REQUESTS', integer(1, 100_000), 2_000),
    /** Undefined: as many as the file descriptors allow. */
    maxConnections: setting('MAX_CONNECTIONS', integer(1, 1_000_000)),
    stopTimeoutMs: duration('STOP_TIMEOUT', 0, hour, 20 * second),
  });

const login = z
  .object({
    issuer: setting('LOGIN_ISSUER'),
    keys: setting('LOGIN_JWKS', keySource('LOGIN_JWKS')),
    audience: setting('LOGIN_AUDIENCE'),
  })
  .transform(({ issuer, keys, audience }, { addIssue }) => {
    if (issuer !== undefined && keys !== undefined) return { issuer, keys, audience };
    const needed = (key: string, message: string) => addIssue({ code: 'custom', path: [key], message });
    if (keys !== undefined) needed('issuer', 'is needed where LOGIN_JWKS is set');
    if (issuer !== undefined) needed('keys', 'is needed where LOGIN_ISSUER is set: a URL, or the name of a file');
    return undefined;
  });

const signIn = z.object({
  loginUrls: setting('LOGIN_URLS', loginUrls),
  login,
  providers: setting('LOGIN_PROVIDERS', loginProviders, {}),
  trustedIssuers: setting('TRUSTED_ISSUERS', trustedIssuers, []),
  clientHosts: setting('CLIENT_METADATA_HOSTS', clientHosts, []),
});

export const subscriptionTypes = setting('SUBSCRIPTION_TYPES', nonEmptyList);

const mcp = (development: boolean) =>
  z.object({
    isOn: setting('MCP', (text) => choice('on', 'off')(text) === 'on', development),
    eventNumbering: setting('MCP_EVENT_ERRORS', choice(...eventNumberings), 'sketch'),
    maxSubscriptions: maxAgentSubscriptions(development),
  });

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** All settings, as plain data that can be sent to another thread. */
const settings = (development: boolean) =>
  z.object({
    mode,
    dataDirectory: setting('DATA_DIR'),
    /** Undefined: the embedded store in the data directory. */
    cluster,
    /** Parts of the service beside `/healthz` and `/readyz`. */
    roles: setting('ROLES', roles, new Set(allRoles)),
    logLevel: setting('LOG_LEVEL', choice(...logLevels), development ? 'warn' : 'info'),
    http: http(development),
    signIn,
    tokens: tokens.extend({
      // Not shorter than the lifetime of codes: the stream of a session records that its code has been used.
      retentionMs: setting('SESSION_RETENTION', durationWithin(day, 3_650 * day)),
    }),
    keys,
    console: consoleSettings,
    limits: limits(development),
    mcp: mcp(development),
    listeners: z.object({ subscriptionTypes, maxListeners: maxListeners(development) }),
    flows: z.object({
      maxEventBytes,
      retentionMs: setting('FLOW_RETENTION', durationWithin(second, 3_650 * day)),
    }),
    deliveries: deliveries(development),
    portal: portal(development),
    protections,
    developmentHost: setting('DEVELOPMENT_HOST'),
  });

type Settings = z.output<ReturnType<typeof settings>>;

export type Config = Omit<Settings, 'dataDirectory' | 'protections' | 'developmentHost'> & {
  dataDirectory: string;
  egress: Settings['deliveries']['targets']['egress'];
  /** Values that void a protection in production, which `UNSAFE` permits. */
  unsafe: readonly UnsafeSetting[];
  unknown: readonly UnknownSetting[];
};

/** One line for each problem. */
export class InvalidConfiguration extends Error {
  constructor(readonly problems: readonly InvalidSetting[]) {
    super(problems.map(({ message }) => message).join('\n'));
    this.name = 'InvalidConfiguration';
  }
}

/** Throws `InvalidConfiguration`, which names each invalid setting and says what would be valid. */
export function readConfig(environment: Environment): Config {
  const development = readSettings(mode, environment).values === 'development';
  const { values, problems, reject, names } = readSettings(settings(development), environment);
  const { protections: _, developmentHost, ...given } = values;
  const config: Config = {
    ...given,
    dataDirectory: resolve(dataDirectoryGiven(environment)),
    egress: given.deliveries.targets.egress,
    unsafe: readUnsafe(values, reject),
    unknown: unknownSettings(environment, names),
  };
  const forgotten = memoryProblem(config.deliveries);
  if (forgotten !== undefined) reject('PUBLISH_MEMORY', forgotten);
  requireSeparateLogins(config, reject);
  if (development) requireLoopback(config, developmentHost, reject);
  else requireProductionSettings(config, environment, reject);
  // Only one service at a time opens the embedded store, so no other instance could have the missing roles.
  if (config.cluster === undefined && config.roles.size < allRoles.length)
    reject('ROLES', 'can be chosen only with EVENTSTOREDB_URL and MONGODB_URL');
  if (problems.length > 0) throw new InvalidConfiguration(problems);
  return config;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Development mode believes every caller, so another address than loopback needs a second setting. */
function requireLoopback({ http }: Config, developmentHost: string | undefined, reject: Reject): void {
  if (loopback.test(http.host) || developmentHost === http.host) return;
  reject(
    'HOST',
    `is '${http.host}', and development mode listens on loopback only: it believes every caller. ` +
      'Use MODE=production, or set DEVELOPMENT_HOST to the same address if every peer is trusted',
  );
}

function requireProductionSettings({ http, signIn, keys }: Config, environment: Environment, reject: Reject): void {
  const require = (name: string, value: unknown, what: string) => {
    if (value === undefined) reject(name, `is needed in production mode: ${what}`);
  };
  require('PUBLIC_URL', http.publicUrl, 'the address at which callers reach this service, such as https://hooks.example.com');
  const hasProviders = settingText(environment, 'LOGIN_PROVIDERS') !== undefined;
  if (!hasProviders)
    require('LOGIN_URLS', signIn.loginUrls, 'a JSON object from request host to login URL, such as {"*": "https://login.example.com/"}, or LOGIN_PROVIDERS');
  if (!hasProviders || signIn.loginUrls) {
    require('LOGIN_ISSUER', signIn.login, 'the issuer of the login page’s signed codes, together with LOGIN_JWKS');
    const audience = settingText(environment, 'LOGIN_AUDIENCE');
    require('LOGIN_AUDIENCE', audience, 'the aud of the codes for this service, such as its PUBLIC_URL');
  }
  if (signIn.trustedIssuers.some(({ audience }) => audience === undefined))
    require('TRUSTED_ISSUERS', undefined, 'an audience for each issuer, so that tokens for other services are refused');
  require('SIGNING_KEYS', keys.signingKeys, 'a JWK set, or the name of a file that holds one');
  require('MASTER_KEYS', keys.masterKeys, 'generation:key pairs such as g1:<base64 of 32 bytes>, or the name of a file that holds them');
}
