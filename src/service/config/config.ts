import { resolve } from 'node:path';
import type { AccessSettings } from '../../access/access.js';
import type { ConfiguredKeys } from '../../access/keys/service-keys.js';
import type { BackgroundJobSettings } from '../../admin/background-jobs.js';
import type { ConsoleSettings } from '../../console/console.js';
import type { DeliverySettings } from '../../deliveries/deliveries.js';
import { defaultRetryPolicy, longestScheduleMs } from '../../deliveries/queue/policy/retry-policy.js';
import type { TargetPolicy } from '../../deliveries/target-guard/target-judge.js';
import { defaultPerHost } from '../../deliveries/worker/host-semaphore.js';
import type { FlowSettings } from '../../flows/flows.js';
import type { TrustedPeerSettings } from '../../http/trusted-peers.js';
import { defaultFailingPolicy } from '../../listeners/commands/failing-listener.js';
import type { ListenerSettings } from '../../listeners/listeners.js';
import { bucketCount } from '../../stores/event-store/bucket.js';
import { adminKeyFile, readAdminKeys } from './admin-keys.js';
import { readEgress } from './egress.js';
import { type LimitSettings, readLimits, readMaxListeners } from './limits.js';
import { consoleOpenId, loginProviders, requireSeparateLogins } from './login-providers.js';
import { readBrand, readPortal } from './portal.js';
import {
  baseUrl,
  cidrs,
  durationOrOff,
  keySource,
  loginUrls,
  nonEmptyList,
  pathPrefix,
  powerOfTwo,
  ratePerSecond,
  retryPolicy,
  startingPoint,
  trustedIssuers,
} from './setting-values.js';
import { type Environment, type InvalidSetting, SettingsReader } from './settings.js';
import { type Cluster, dataDirectoryGiven, maxEventBytes, readCluster, tokenSettings } from './shared-settings.js';
import { type UnknownSetting, unknownSettings } from './unknown-settings.js';
import { readUnsafe, type UnsafeSetting } from './unsafe-settings.js';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

type Mode = 'development' | 'production';

/** `api`: the routes; `projector`: the views; `dispatcher`: fan-out and deliveries. */
type Role = (typeof allRoles)[number];
const allRoles = ['api', 'projector', 'dispatcher'] as const;

/** All settings, as plain data that can be sent to another thread. */
export type Config = Pick<AccessSettings, 'mode' | 'dataDirectory' | 'signIn' | 'egress'> &
  Pick<ListenerSettings, 'listeners'> &
  Pick<ConsoleSettings, 'console' | 'portal'> & {
    /** Undefined: the embedded store in the data directory. */
    cluster: Cluster | undefined;
    /** Tasks beside answering `/healthz` and `/readyz`. */
    roles: ReadonlySet<Role>;
    logLevel: string;
    http: AccessSettings['http'] &
      ListenerSettings['http'] &
      TrustedPeerSettings & {
        host: string;
        /** 0: any free port. */
        port: number;
        /** Undefined: as many as the file descriptors allow. */
        maxConnections: number | undefined;
        stopTimeoutMs: number;
      };
    tokens: AccessSettings['tokens'] & BackgroundJobSettings['tokens'];
    keys: ConfiguredKeys;
    limits: LimitSettings;
    flows: FlowSettings['flows'] & BackgroundJobSettings['flows'];
    deliveries: DeliverySettings & {
      targets: TargetPolicy;
      /** Send `DELETE` to the hook URL of a listener that an operator removes. */
      notifyRemoved: boolean;
    };
    /** Values in production that void a protection, which `UNSAFE` permits. */
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

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

/** Throws `InvalidConfiguration`, which names each invalid setting and says what would be valid. */
export function readConfig(environment: Environment): Config {
  const settings = new SettingsReader(environment);
  const mode = readMode(settings);
  const development = mode === 'development';

  const deliveries = readDeliveries(settings, mode);

  const read: Omit<Config, 'unsafe' | 'unknown'> = {
    mode,
    dataDirectory: resolve(dataDirectoryGiven(settings)),
    cluster: readCluster(settings),
    roles: settings.read('ROLES', roles, new Set<Role>(allRoles)),
    logLevel: settings.choice(
      'LOG_LEVEL',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      development ? 'warn' : 'info',
    ),
    http: {
      host: settings.text('HOST') ?? (development ? '127.0.0.1' : '0.0.0.0'),
      port: settings.integer('PORT', { min: 0, max: 65_535, otherwise: 3_000 }),
      hooksPrefix: settings.read('HOOKS_PREFIX', pathPrefix, '/api/hooks'),
      publicUrl: settings.read('PUBLIC_URL', baseUrl, undefined),
      trustedProxies: settings.read('TRUSTED_PROXIES', cidrs, []),
      trustedGateways: settings.read('TRUSTED_GATEWAYS', cidrs, []),
      maxConcurrentRequests: settings.integer('MAX_CONCURRENT_REQUESTS', { min: 1, max: 100_000, otherwise: 2_000 }),
      maxConnections: settings.optionalInteger('MAX_CONNECTIONS', { min: 1, max: 1_000_000 }),
      stopTimeoutMs: settings.duration('STOP_TIMEOUT', { min: 0, max: hour, otherwise: 20 * second }),
    },
    signIn: {
      loginUrls: settings.read('LOGIN_URLS', loginUrls, undefined),
      login: readLogin(settings),
      providers: settings.read('LOGIN_PROVIDERS', loginProviders, {}),
      trustedIssuers: settings.read('TRUSTED_ISSUERS', trustedIssuers, []),
    },
    tokens: {
      ...tokenSettings(settings),
      // Not shorter than the lifetime of codes: the stream of a session records that its code has been used.
      retentionMs: settings.optionalDuration('SESSION_RETENTION', { min: day, max: 3_650 * day }),
    },
    keys: {
      signingKeys: settings.text('SIGNING_KEYS'),
      masterKeys: settings.text('MASTER_KEYS'),
      adminKeys: readAdminKeys(settings),
      adminKeyFile: adminKeyFile(settings),
    },
    egress: deliveries.targets.egress,
    console: {
      ...readBrand(settings, { name: 'CONSOLE_NAME', logo: 'CONSOLE_LOGO', colours: 'CONSOLE_COLOURS' }),
      openid: settings.read('CONSOLE_OPENID', consoleOpenId, undefined),
    },
    limits: readLimits(settings, mode),
    listeners: {
      subscriptionTypes: settings.read('SUBSCRIPTION_TYPES', nonEmptyList, undefined),
      maxListeners: readMaxListeners(settings, mode),
    },
    flows: {
      maxEventBytes: maxEventBytes(settings),
      retentionMs: settings.optionalDuration('FLOW_RETENTION', { min: second, max: 3_650 * day }),
    },
    deliveries,
    portal: readPortal(settings, development),
  };

  const config: Config = {
    ...read,
    unsafe: readUnsafe(read, settings),
    unknown: unknownSettings(environment, new Set([...settings.names, 'DEVELOPMENT_HOST'])),
  };
  requireSeparateLogins(config, settings);
  if (development) requireLoopback(config, settings);
  else requireProductionSettings(config, settings);
  if (config.cluster === undefined) requireAllRoles(config, settings);
  if (settings.problems.length > 0) throw new InvalidConfiguration(settings.problems);
  return config;
}

export const readMode = (settings: SettingsReader): Mode =>
  settings.choice('MODE', ['development', 'production'], 'development');

export function readDeliveries(settings: SettingsReader, mode: Mode): Config['deliveries'] {
  const development = mode === 'development';
  const concurrency = settings.integer('DELIVERY_CONCURRENCY', { min: 1, max: 10_000, otherwise: 256 });
  const pauseAfterMs = settings.read('AUTO_PAUSE_AFTER', durationOrOff, defaultFailingPolicy.afterMs);
  const deliveries = {
    targets: {
      allowHttp: settings.choice('ALLOW_HTTP', ['true', 'false'], development ? 'true' : 'false') === 'true',
      allowLoopback: development,
      allowedTargets: settings.read('ALLOWED_TARGETS', cidrs, []),
      egress: readEgress(settings),
    },
    attempts: {
      concurrency,
      perHost: settings.integer('HOST_CONNECTIONS', { min: 1, max: 10_000, otherwise: defaultPerHost(concurrency) }),
      ratePerSecond: settings.read('LISTENER_RATE_LIMIT', ratePerSecond, undefined),
      retryPolicy: settings.read('RETRY_SCHEDULE', retryPolicy, defaultRetryPolicy),
    },
    failingPolicy: pauseAfterMs === undefined ? undefined : { ...defaultFailingPolicy, afterMs: pauseAfterMs },
    notifyRemoved: settings.choice('NOTIFY_REMOVED', ['true', 'false'], 'false') === 'true',
    sendTraceparent: settings.choice('SEND_TRACEPARENT', ['true', 'false'], 'false') === 'true',
    retention: {
      retentionMs: settings.duration('DELIVERY_RETENTION', { min: second, max: 3_650 * day, otherwise: 30 * day }),
      publishMemoryMs: settings.duration('PUBLISH_MEMORY', { min: second, max: 3_650 * day, otherwise: 90 * day }),
    },
    startFrom: settings.read('FAN_OUT_FROM', startingPoint, undefined),
    fanOutPartitions: settings.read('FAN_OUT_PARTITIONS', powerOfTwo(bucketCount), 32),
  };
  requireMemoryOfRetries(deliveries, settings);
  return deliveries;
}

/** An id that is forgotten while its deliveries are retried would protect nothing. */
function requireMemoryOfRetries({ retention, attempts }: Config['deliveries'], settings: SettingsReader): void {
  const { publishMemoryMs } = retention;
  const longestMs = longestScheduleMs(attempts.retryPolicy ?? defaultRetryPolicy);
  if (publishMemoryMs >= longestMs) return;
  settings.reject(
    'PUBLISH_MEMORY',
    `must not be shorter than RETRY_SCHEDULE, which takes up to ${Math.ceil(longestMs / second)}s with its jitter, ` +
      `but is ${publishMemoryMs / second}s`,
  );
}

/** Development mode believes every caller, so another address than loopback needs a second setting. */
function requireLoopback({ http }: Config, settings: SettingsReader): void {
  if (loopback.test(http.host) || settings.text('DEVELOPMENT_HOST') === http.host) return;
  settings.reject(
    'HOST',
    `is '${http.host}', and development mode listens on loopback only: it believes every caller. ` +
      'Use MODE=production, or set DEVELOPMENT_HOST to the same address if every peer is trusted',
  );
}

function requireProductionSettings({ http, signIn, keys }: Config, settings: SettingsReader): void {
  const require = (name: string, value: unknown, what: string) => {
    const alreadySaid = settings.problems.some(({ setting }) => setting === name);
    if (value === undefined && !alreadySaid) settings.reject(name, `is needed in production mode: ${what}`);
  };
  require('PUBLIC_URL', http.publicUrl, 'the address at which callers reach this service, such as https://hooks.example.com');
  const hasProviders = settings.text('LOGIN_PROVIDERS') !== undefined;
  if (!hasProviders)
    require('LOGIN_URLS', signIn.loginUrls, 'a JSON object from request host to login URL, such as {"*": "https://login.example.com/"}, or LOGIN_PROVIDERS');
  if (!hasProviders || signIn.loginUrls) {
    require('LOGIN_ISSUER', signIn.login, 'the issuer of the login page’s signed codes, together with LOGIN_JWKS');
    const audience = settings.text('LOGIN_AUDIENCE');
    require('LOGIN_AUDIENCE', audience, 'the aud of the codes for this service, such as its PUBLIC_URL');
  }
  if (signIn.trustedIssuers.some(({ audience }) => audience === undefined))
    require('TRUSTED_ISSUERS', undefined, 'an audience for each issuer, so that tokens for other services are refused');
  require('SIGNING_KEYS', keys.signingKeys, 'a JWK set, or the name of a file that holds one');
  require('MASTER_KEYS', keys.masterKeys, 'generation:key pairs such as g1:<base64 of 32 bytes>, or the name of a file that holds them');
}

/** Only one service at a time opens the embedded store, so no other instance could have the missing roles. */
function requireAllRoles({ roles }: Config, settings: SettingsReader): void {
  if (roles.size < allRoles.length)
    settings.reject('ROLES', 'can be chosen only with EVENTSTOREDB_URL and MONGODB_URL');
}

function roles(text: string): ReadonlySet<Role> {
  const chosen = text.split(',').map((part) => allRoles.find((role) => role === part.trim()));
  const known = chosen.filter((role) => role !== undefined);
  if (known.length < chosen.length) throw new Error(`must be some of ${allRoles.join(', ')}, but is '${text}'`);
  return new Set(known);
}

function readLogin(settings: SettingsReader): Config['signIn']['login'] {
  const issuer = settings.text('LOGIN_ISSUER');
  const keys = settings.read('LOGIN_JWKS', keySource('LOGIN_JWKS'), undefined);
  const audience = settings.text('LOGIN_AUDIENCE');
  if (issuer !== undefined && keys !== undefined) return { issuer, keys, audience };
  if (keys !== undefined) settings.reject('LOGIN_ISSUER', 'is needed where LOGIN_JWKS is set');
  if (issuer !== undefined && settings.text('LOGIN_JWKS') === undefined) {
    settings.reject('LOGIN_JWKS', 'is needed where LOGIN_ISSUER is set: a URL, or the name of a file');
  }
  return undefined;
}
