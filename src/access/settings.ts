import { resolve } from 'node:path';
import { z } from 'zod';
import { publicUrl } from '../http/settings.js';
import { type IsGiven, mode, needed, neededWith, type Setting, setting } from '../kernel/settings/setting.js';
import { duration, durationWithin, httpUrl, json, list, milliseconds } from '../kernel/settings/texts.js';
import { loginProviders, type ProviderSettings } from './providers/provider-settings.js';

/** A JWK set at a URL or in a file; `setting` names the file. */
export type KeySource = { url: string } | { file: string; setting: string };

/** Also true of other schemes, and of `user:password@` without a scheme. These are refused: as a file name, the text would be printed. */
const isUrl = (text: string): boolean => /^(https?:|[^/]*:\/\/)|:.*@/is.test(text);

const keySource = (setting: string) =>
  z
    .string()
    .superRefine((text, { addIssue }) => {
      for (const { message } of httpUrl.safeParse(text).error?.issues ?? []) if (isUrl(text)) addIssue(message);
    })
    .transform((text): KeySource => (isUrl(text) ? { url: new URL(text).href } : { file: resolve(text), setting }));

const trustedIssuer = z
  .object({
    issuer: z.string().min(1),
    jwks: z.string().min(1).pipe(keySource('TRUSTED_ISSUERS')),
    /** Checked if given; required in production mode. */
    audience: z.string().min(1).optional(),
    /** Maximum age of a token, by its `iat`. */
    maxAge: milliseconds('1s', '30d').prefault('1h'),
  })
  .transform(({ jwks: keys, maxAge: maxAgeMs, ...given }) => ({ ...given, keys, maxAgeMs }));

export type TrustedIssuer = z.output<typeof trustedIssuer>;

/** Host patterns as in `LOGIN_URLS`. */
const hosts = list(
  z
    .string()
    .regex(
      /^(\*|(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?)$/i,
      'must be hosts separated by commas, such as agents.example.com,*.example.org, or *',
    ),
);

const hasProviders = (isGiven: IsGiven): boolean => isGiven(providers);

const hasNoPage = (isGiven: IsGiven): boolean => hasProviders(isGiven) && !isGiven(loginUrls);

const loginKeys: Setting<KeySource | undefined> = setting('LOGIN_JWKS', keySource('LOGIN_JWKS').optional(), {
  problem(...given) {
    const problem = neededWith(loginIssuer)(...given);
    return problem && `${problem}: a URL, or the name of a file`;
  },
});

const loginIssuer: Setting<string | undefined> = setting('LOGIN_ISSUER', z.string().optional(), {
  problem: (issuer, given, isGiven) =>
    neededWith(loginKeys)(issuer, given, isGiven) ||
    needed('the issuer of the login page’s signed codes, together with LOGIN_JWKS', hasNoPage)(
      issuer,
      given,
      isGiven,
    ) ||
    (hasProviders(isGiven) &&
      issuer === given(publicUrl) &&
      issuer !== undefined &&
      'must not be PUBLIC_URL where LOGIN_PROVIDERS is set'),
});

const login = z
  .object({
    issuer: loginIssuer,
    keys: loginKeys,
    audience: setting('LOGIN_AUDIENCE', z.string().optional(), {
      problem: needed('the aud of the codes for this service, such as its PUBLIC_URL', hasNoPage),
    }),
  })
  .transform(({ issuer, keys, audience }) =>
    issuer !== undefined && keys !== undefined ? { issuer, keys, audience } : undefined,
  );

/** Login URL by request host; undefined: the built-in page (development only). */
const loginUrls: Setting<Readonly<Record<string, string>> | undefined> = setting(
  'LOGIN_URLS',
  json(
    'a JSON object from request host to login URL',
    z
      .record(z.string().min(1), httpUrl)
      .refine((urls) => Object.keys(urls).length > 0, 'must name at least one login URL'),
  ).optional(),
  {
    problem: needed(
      'a JSON object from request host to login URL, such as {"*": "https://login.example.com/"}, or LOGIN_PROVIDERS',
      hasProviders,
    ),
  },
);

/** Providers by request host. */
const providers: Setting<Readonly<Record<string, ProviderSettings>>> = setting(
  'LOGIN_PROVIDERS',
  loginProviders.default({}),
  {
    problem(providers, given) {
      const pages = new Set(Object.keys(given(loginUrls) ?? {}).map((host) => host.toLowerCase()));
      const twice = Object.keys(providers).find((host) => pages.has(host.toLowerCase()));
      return twice !== undefined && `has the host ${twice}, which LOGIN_URLS has too`;
    },
  },
);

export const signInSettings = z.object({
  loginUrls,
  login,
  providers,
  /** Issuers of the identity tokens that `GET /test` accepts. */
  trustedIssuers: setting(
    'TRUSTED_ISSUERS',
    json('a JSON array of {"issuer", "jwks", "audience", "maxAge"?}', z.array(trustedIssuer)).default([]),
    {
      problem: (issuers, given) =>
        given(mode) === 'production' &&
        issuers.some(({ audience }) => audience === undefined) &&
        'is needed in production mode: an audience for each issuer, so that tokens for other services are refused',
    },
  ),
  /** Hosts of documents of clients that are not registered: exact, `*.example.com` or `*`. */
  clientHosts: setting('CLIENT_METADATA_HOSTS', hosts.default([])),
});

export type SignInSettings = z.output<typeof signInSettings>;

export const tokenSettings = z.object({
  accessTokenTtlMs: duration('ACCESS_TOKEN_TTL', '1s', '30d', '1h'),
  refreshGraceMs: duration('REFRESH_GRACE', '0s', '1h', '2m'),
  /** A session without a rotation for this long ends. */
  refreshIdleMs: duration('REFRESH_IDLE', '1s', '3650d', '90d'),
  /** A session ends this long after its code was exchanged, even if it is in use. */
  sessionLifetimeMs: duration('SESSION_LIFETIME', '1s', '3650d', '365d'),
  /**
   * Time after the end of a session, also of the portal; undefined: never. Not shorter than the lifetime of codes: the stream of a
   * session records that its code has been used.
   */
  retentionMs: setting('SESSION_RETENTION', durationWithin('1d', '3650d').optional()),
});
