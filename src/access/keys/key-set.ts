import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { Logger } from 'pino';
import { KeySetUnavailable, UnusableKeys } from '../errors.js';
import type { KeySource } from '../settings.js';
import { describeReadError, nameSourceInErrors } from './key-files.js';

export type KeySet = {
  failure: () => KeySetUnavailable | undefined;
  /**
   * Returns the claims of a JWT that satisfies `options`, with a clock tolerance of 60 s. Throws jose's errors if the
   * token is not valid, and `KeySetUnavailable`.
   */
  verify: (token: string, options: JWTVerifyOptions) => Promise<JWTPayload>;
};

/** Asymmetric only: never HMAC, whose key also signs, nor `none`. */
const asymmetric = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/** Tolerated difference between clocks, in both directions. */
export const clockToleranceSeconds = 60;

const fetchTimeoutMs = 5_000;
/** Minimum interval between fetches because of an unknown `kid`, so that such tokens cannot flood the issuer. */
const cooldownMs = 30_000;
const maxAgeMs = 600_000;

type KeySetOptions = {
  fetch?: FetchImplementation;
  /** Undefined: the keys can be fetched again. */
  onFailure?: (failure: KeySetUnavailable | undefined) => void;
};

/**
 * Keys at a URL are fetched in the background, cached for ten minutes, and fetched again for an unknown `kid`. A file
 * is read at once: throws `UnusableKeys`.
 */
export async function openKeySet(source: KeySource, options: KeySetOptions = {}): Promise<KeySet> {
  if ('url' in source) return remoteKeySet(source.url, options);
  return localKeySet(await nameSourceInErrors(source.setting, () => readKeySet(source.file)));
}

export const localKeySet = (keys: JSONWebKeySet): KeySet => ({
  failure: () => undefined,
  verify: verifying(createLocalJWKSet(keys)),
});

function remoteKeySet(url: string, { fetch = globalThis.fetch, onFailure = () => undefined }: KeySetOptions): KeySet {
  const options = { timeoutDuration: fetchTimeoutMs, cooldownDuration: cooldownMs, cacheMaxAge: maxAgeMs };
  const find = createRemoteJWKSet(new URL(url), { ...options, [customFetch]: fetch });
  let failure: KeySetUnavailable | undefined;
  let triedAt: number;

  function report(error: unknown): void {
    const before = failure;
    failure = error === undefined ? undefined : new KeySetUnavailable(url, error);
    triedAt = performance.now();
    if ((before === undefined) !== (failure === undefined)) onFailure(failure);
  }

  async function check(): Promise<void> {
    triedAt = performance.now(); // also while it is under way
    try {
      await find.reload();
      report(find.jwks()?.keys.length === 0 ? new Error('it holds no keys') : undefined);
    } catch (error) {
      report(error);
    }
  }

  void check();
  return {
    /** Repeats a failed fetch when readiness is queried, as there may be no tokens to verify. */
    failure() {
      if (failure && performance.now() - triedAt > cooldownMs) void check();
      return failure;
    },
    verify: verifying(async (header, token) => {
      try {
        const key = await find(header, token);
        report(undefined);
        return key;
      } catch (error) {
        if (concernsToken(error)) throw error;
        report(error);
        throw new KeySetUnavailable(url, error);
      }
    }),
  };
}

const verifying =
  (find: JWTVerifyGetKey): KeySet['verify'] =>
  async (token, options) => {
    const checked = { algorithms: asymmetric, clockTolerance: clockToleranceSeconds, ...options };
    try {
      return (await jwtVerify(token, find, checked)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      return await verifyWithAny(error, token, checked);
    }
  };

/** RFC 7515 §4.1.4: a `kid` is optional, so several keys of a set may have to be tried. */
async function verifyWithAny(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** False for failures to fetch the keys. */
const concernsToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWKSMultipleMatchingKeys ||
  error instanceof errors.JOSENotSupported;

async function readKeySet(file: string): Promise<JSONWebKeySet> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UnusableKeys(describeReadError(error, file), { cause: error });
  });
  try {
    const keys = JSON.parse(text) as JSONWebKeySet; // checked in the next line
    createLocalJWKSet(keys);
    if (keys.keys.length === 0) throw new Error('it holds no keys');
    return keys;
  } catch (error) {
    throw new UnusableKeys(`${file} does not hold a JWK set with keys`, { cause: error });
  }
}

export type KeySetStatus = { name: string; failure: KeySet['failure'] };

/** `name` identifies the key set in the log and in `/readyz`. */
export type OpenKeySet = (name: string, source: KeySource) => Promise<KeySet>;

type KeySetReports = {
  open: OpenKeySet;
  opened: readonly KeySetStatus[];
};

/** Opens key sets, and logs once when one becomes unusable, and usable again. */
export function keySetReports({
  fetch,
  log,
}: {
  fetch: FetchImplementation;
  log: Pick<Logger, 'error' | 'warn'>;
}): KeySetReports {
  const opened: KeySetStatus[] = [];
  return {
    opened,
    async open(name, source) {
      const onFailure = (failure: KeySetUnavailable | undefined) => {
        if (failure) log.error({ keySet: name, reason: reasonOf(failure), err: failure }, 'a key set cannot be used');
        else log.warn({ keySet: name }, 'a key set can be used again');
      };
      const keySet = await openKeySet(source, { fetch, onFailure });
      opened.push({ name, failure: keySet.failure });
      return keySet;
    },
  };
}

/** `fetch failed` alone does not tell the cause. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? reasonOf(cause) : error.message;
}

/** Issuer of an unverified token; undefined if it is no JWT or has none. */
export function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return undefined;
    throw error;
  }
}
