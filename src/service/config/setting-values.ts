import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { KeySource } from '../../access/keys/key-set.js';
import type { TrustedIssuer } from '../../access/tokens/trusted-issuers.js';
import { parsePosition } from '../../kernel/input/parse-input.js';
import { defaultRetryPolicy, type RetryPolicy } from '../../queue/policy/retry-policy.js';
import { partsOf, valid, wholeNumber } from './schema.js';
import { durationMs } from './settings.js';

const day = 86_400_000;

// The functions of this file throw an Error whose message follows the setting's name.

export function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Not printed: it may be a password.
  if (url && (url.username !== '' || url.password !== ''))
    throw new Error('must have no user name and no password in it');
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`must be an http or https URL, but is '${text}'`);
  return url;
}

export function baseUrl(text: string): string {
  const url = httpUrl(text);
  if (url.search || url.hash) throw new Error(`must have no query and no fragment, but is '${text}'`);
  return url.href.replace(/\/$/, '');
}

/** Existing or planned. */
const ownRoutes = [
  '/access',
  '/refresh',
  '/revoke',
  '/introspect',
  '/test',
  '/whoami',
  '/oauth2',
  '/sign-in',
  '/api/flows',
  '/api/events',
  '/mcp',
  '/healthz',
  '/readyz',
  '/metrics',
  '/.well-known',
  '/admin',
  '/docs',
  '/console',
  '/portal',
  '/assets',
  '/openapi.json',
  '/llms.txt',
];

/** Errors below the prefix have another format, so it is neither below nor above another route. */
export function pathPrefix(text: string): string {
  const isPath = /^(\/[\w.~-]+)+$/.test(text) && !/\/\.\.?(\/|$)/.test(text);
  if (!isPath) throw new Error(`must be a path such as /api/hooks, but is '${text}'`);
  const within = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`);
  const prefix = text.toLowerCase(); // a proxy may take other letters for the same path
  const other = ownRoutes.find((route) => within(prefix, route) || within(route, prefix));
  if (other !== undefined) throw new Error(`must be a path apart from ${other}, such as /api/hooks, but is '${text}'`);
  return text;
}

/** A single address is the range that holds only this address. */
export const cidrs = (text: string): readonly string[] =>
  partsOf(text).map((range) => {
    if (ipaddr.isValidCIDR(range)) return range;
    if (!ipaddr.isValid(range)) throw new Error(`must be CIDR ranges such as 10.0.0.0/8, but holds '${range}'`);
    return `${range}/${ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128}`;
  });

export function nonEmptyList(text: string): readonly string[] {
  const parts = partsOf(text);
  if (parts.includes('')) throw new Error('must be types separated by commas, none of them empty');
  return parts;
}

/** Host patterns as in `LOGIN_URLS`. */
export function clientHosts(text: string): readonly string[] {
  const hosts = partsOf(text);
  const wrong = hosts.find((host) => !/^(\*|(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?)$/i.test(host));
  if (wrong !== undefined)
    throw new Error('must be hosts separated by commas, such as agents.example.com,*.example.org, or *');
  return hosts;
}

export const startingPoint = valid('beginning, end, or the position after which to begin', (text) => {
  if (text === 'end') return text;
  return text === 'beginning' ? -1n : parsePosition(text);
});

export function loginUrls(text: string): Readonly<Record<string, string>> {
  const urls = parseJson(text, z.record(z.string().min(1), z.string()), 'a JSON object from request host to login URL');
  if (Object.keys(urls).length === 0) throw new Error('must name at least one login URL');
  for (const url of Object.values(urls)) httpUrl(url);
  return urls;
}

export const keySource =
  (setting: string) =>
  (text: string): KeySource =>
    /^https?:/.test(text) ? { url: httpUrl(text).href } : { file: resolve(text), setting };

export function trustedIssuers(text: string): readonly TrustedIssuer[] {
  const maxAge = z
    .string()
    .transform(durationMs)
    .refine((ms) => ms >= 1_000 && ms <= 30 * day);
  const schema = z.array(
    z.object({
      issuer: z.string().min(1),
      jwks: z.string().min(1),
      audience: z.string().min(1).optional(),
      maxAge: maxAge.optional(),
    }),
  );
  return parseJson(text, schema, 'a JSON array of {"issuer", "jwks", "audience", "maxAge"?}').map(
    ({ issuer, jwks, audience, maxAge: maxAgeMs }) => ({
      issuer,
      keys: keySource('TRUSTED_ISSUERS')(jwks),
      audience,
      maxAgeMs,
    }),
  );
}

export function parseJson<Value>(text: string, schema: z.ZodType<Value>, what: string): Value {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Error(`must be ${what}`);
  }
}

/** Policy from the delays between attempts: `5s,5m,2h`. */
export const retryPolicy = valid(
  'up to 50 delays of at most 30d each, such as 5s,5m,2h',
  (text): RetryPolicy | undefined => {
    const delays = partsOf(text).map(durationMs);
    const isValid = delays.length <= 50 && delays.every((ms) => ms >= 0 && ms <= 30 * day);
    return isValid ? { ...defaultRetryPolicy, schedule: [0, ...delays] } : undefined;
  },
);

export const ratePerSecond = valid('a number a second from 0.01 to 100000', (text) => {
  const rate = Number(text);
  return /^\d+(\.\d+)?$/.test(text) && rate >= 0.01 && rate <= 100_000 ? rate : undefined;
});

/** Number from 1 to `max`, which is a power of two too. */
export const powerOfTwo = (max: number) =>
  valid(`a power of two from 1 to ${max}`, (text) => {
    const value = wholeNumber(text, 1, max) ?? 0;
    return value > 0 && (value & (value - 1)) === 0 ? value : undefined;
  });

export const allRoles = ['api', 'projector', 'dispatcher'] as const;

/** `api`: the routes; `projector`: the views; `dispatcher`: fan-out and deliveries. */
type Role = (typeof allRoles)[number];

export const roles = valid(`some of ${allRoles.join(', ')}`, (text) => {
  const chosen = partsOf(text).map((part) => allRoles.find((role) => role === part));
  const known = chosen.filter((role) => role !== undefined);
  return known.length === chosen.length ? new Set<Role>(known) : undefined;
});
