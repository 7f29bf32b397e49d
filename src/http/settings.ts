import { z } from 'zod';
import { isBroad } from '../kernel/input/address-range.js';
import { mode, needed, setting } from '../kernel/settings/setting.js';
import {
  cidr,
  duration,
  found,
  httpUrl,
  integer,
  list,
  milliseconds,
  orOff,
  parts,
  valid,
} from '../kernel/settings/texts.js';

const loopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/;

const developmentHost = setting('DEVELOPMENT_HOST', z.string().optional());

/** Development mode believes every caller, so another address than loopback needs a second setting. */
const host = setting('HOST', z.string().prefault('0.0.0.0'), {
  inDevelopment: '127.0.0.1',
  problem: (host, given) =>
    given(mode) === 'development' &&
    !loopback.test(host) &&
    given(developmentHost) !== host &&
    `is '${host}', and development mode listens on loopback only: it believes every caller. ` +
      'Use MODE=production, or set DEVELOPMENT_HOST to the same address if every peer is trusted',
});

/** Existing or planned routes. */
const ownRoutes = [
  ...['/access', '/refresh', '/revoke', '/introspect', '/test', '/whoami', '/oauth2', '/sign-in', '/.well-known'],
  ...['/api/flows', '/api/events', '/mcp', '/admin', '/console', '/portal', '/assets', '/docs', '/openapi.json'],
  ...['/llms.txt', '/healthz', '/readyz', '/metrics'],
];

const within = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`);

/** Errors below the prefix have another format, so it is neither below nor above another route. */
const path = z.string().regex(/^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/);
const pathPrefix = valid('a path such as /api/hooks', path).superRefine((text, { addIssue }) => {
  const prefix = text.toLowerCase(); // a proxy may take other letters for the same path
  const other = ownRoutes.find((route) => within(prefix, route) || within(route, prefix));
  if (other !== undefined) addIssue(`must be a path apart from ${other}, such as /api/hooks${found('is', text)}`);
});

/** Base URL for callers, without a slash at the end; undefined in development, where it follows from the address listened on. */
export const publicUrl = setting(
  'PUBLIC_URL',
  httpUrl
    .transform((text) => new URL(text))
    .refine(({ search, hash }) => `${search}${hash}` === '', 'must have no query and no fragment')
    .transform(({ origin, pathname }) => `${origin}${pathname}`.replace(/\/$/, ''))
    .optional(),
  { problem: needed('the address at which callers reach this service, such as https://hooks.example.com') },
);

const peers = list(cidr).default([]);

export const httpSettings = z.object({
  host,
  developmentHost,
  /** 0: any free port. */
  port: setting('PORT', integer(0, 65_535).prefault('3000')),
  /** Path of the routes of platforms, without a slash at the end. */
  hooksPrefix: setting('HOOKS_PREFIX', pathPrefix.prefault('/api/hooks')),
  publicUrl,
  /** Proxies whose `X-Forwarded-Host`, `X-Forwarded-For` and `X-Request-Id` are trusted. */
  trustedProxies: setting('TRUSTED_PROXIES', peers, {
    voids: (cidrs) => isBroad(cidrs) && 'callers choose their address, and no limit by address applies',
  }),
  /** Gateways whose identity headers are trusted too. */
  trustedGateways: setting('TRUSTED_GATEWAYS', peers, {
    voids: (cidrs) => isBroad(cidrs) && 'callers choose their organisation and user',
  }),
  maxConcurrentRequests: setting('MAX_CONCURRENT_REQUESTS', integer(1, 100_000).prefault('2000')),
  /** Undefined: as many as the file descriptors allow. */
  maxConnections: setting('MAX_CONNECTIONS', integer(1, 1_000_000).optional()),
  stopTimeoutMs: duration('STOP_TIMEOUT', '0s', '1h', '20s'),
});

/** Addresses at which callers reach the routes. */
export type ServiceAddress = { publicUrl: string | undefined; hooksPrefix: string };

/** `100/1m`; undefined for `off`. */
const rateLimit = orOff(
  'a number and a duration from 1s to 1d, such as 100/1m',
  parts('/')
    .pipe(z.tuple([integer(1, 1_000_000_000), z.string().regex(/^\S+$/).pipe(milliseconds('1s', '1d'))]))
    .transform(([count, windowMs]) => ({ count, windowMs })),
);

const limit = (name: string, otherwise: string) =>
  setting(name, rateLimit.prefault(otherwise), {
    inDevelopment: 'off',
    voids: (limit) => limit === undefined && 'requests are not limited',
  });

/**
 * The defaults in production are far above the needs of a well-behaved caller. In development mode everything comes
 * from one address, so all limits are off. An undefined limit is off.
 */
export const limitSettings = z.object({
  failures: limit('RATE_LIMIT_FAILURES', '100/1m'),
  address: limit('RATE_LIMIT_ADDRESS', '5000/1s'),
  client: limit('RATE_LIMIT_CLIENT', '5000/1s'),
  apiKey: limit('RATE_LIMIT_API_KEY', '5000/1s'),
  organisation: limit('RATE_LIMIT_ORGANISATION', '1000/1m'),
  changes: limit('RATE_LIMIT_CHANGES', '60/1m'),
  events: limit('RATE_LIMIT_EVENTS', '1000/1s'),
});

export type LimitSettings = z.output<typeof limitSettings>;
