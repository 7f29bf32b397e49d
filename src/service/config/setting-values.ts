import { resolve } from 'node:path';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { KeySource } from '../../access/keys/key-set.js';
import type { TrustedIssuer } from '../../access/tokens/trusted-issuers.js';
import { defaultRetryPolicy, type RetryPolicy } from '../../deliveries/queue/policy/retry-policy.js';
import { parsePosition } from '../../kernel/input/parse-input.js';
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
];

/** Errors below the prefix have a format of their own, so it is neither below nor above another route. */
export function pathPrefix(text: string): string {
  const isPath = /^(\/[\w.~-]+)+$/.test(text) && !/\/\.\.?(\/|$)/.test(text);
  if (!isPath) throw new Error(`must be a path such as /api/hooks, but is '${text}'`);
  const within = (inner: string, outer: string) => `${inner}/`.startsWith(`${outer}/`);
  const prefix = text.toLowerCase(); // a proxy may take other letters for the same path
  const met = ownRoutes.find((route) => within(prefix, route) || within(route, prefix));
  if (met !== undefined) throw new Error(`must be a path apart from ${met}, such as /api/hooks, but is '${text}'`);
  return text;
}

/** A single address is the range that holds only this address. */
export function cidrs(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const range = part.trim();
    if (ipaddr.isValidCIDR(range)) return range;
    if (!ipaddr.isValid(range)) throw new Error(`must be CIDR ranges such as 10.0.0.0/8, but holds '${range}'`);
    return `${range}/${ipaddr.parse(range).kind() === 'ipv4' ? 32 : 128}`;
  });
}

export function nonEmptyList(text: string): readonly string[] {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.includes('')) throw new Error('must be types separated by commas, none of them empty');
  return parts;
}

export function startingPoint(text: string): bigint | 'end' {
  if (text === 'end') return text;
  if (text === 'beginning') return -1n;
  const position = parsePosition(text);
  if (position === undefined) {
    throw new Error(`must be beginning, end, or the position after which to begin, but is '${text}'`);
  }
  return position;
}

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
  const json = z.string().transform((value, context) => {
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue('not JSON');
      return z.NEVER;
    }
  });
  const result = json.pipe(schema).safeParse(text);
  if (!result.success) throw new Error(`must be ${what}`);
  return result.data;
}

/** Policy from the delays between attempts: `5s,5m,2h`. */
export function retryPolicy(text: string): RetryPolicy {
  const delays = text.split(',').map((part) => durationMs(part.trim()));
  if (delays.length > 50 || !delays.every((ms) => ms >= 0 && ms <= 30 * day))
    throw new Error(`must be up to 50 delays of at most 30d each, such as 5s,5m,2h, but is '${text}'`);
  return { ...defaultRetryPolicy, schedule: [0, ...delays] };
}

export function ratePerSecond(text: string): number {
  const rate = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || rate < 0.01 || rate > 100_000)
    throw new Error(`must be a number a second from 0.01 to 100000, but is '${text}'`);
  return rate;
}

/** Milliseconds; undefined for `off`. */
export function durationOrOff(text: string): number | undefined {
  const ms = durationMs(text);
  if (text === 'off') return undefined;
  if (!(ms >= 1_000 && ms <= 365 * day))
    throw new Error(`must be a duration from 1s to 365d, or off, but is '${text}'`);
  return ms;
}

/** Number from 1 to `max`, which is a power of two too. */
export const powerOfTwo =
  (max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
    if (value >= 1 && value <= max && (value & (value - 1)) === 0) return value;
    throw new Error(`must be a power of two from 1 to ${max}, but is '${text}'`);
  };
