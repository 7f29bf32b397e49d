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
import { describeReadError, nameSourceInErrors } from './key-files.js';

/** Location of an issuer's public keys: a JWK set at a URL or in a file; `setting` is the setting that names the file. */
export type KeySource = { readonly url: string } | { readonly file: string; readonly setting: string };

/** The public keys of an issuer. */
export type KeySet = {
  /** Why the keys cannot be used now; undefined if they can. */
  readonly trouble: () => KeySetUnavailable | undefined;
  /**
   * Returns the claims of a JWT that one of the keys signed and that satisfies `options`, with a clock tolerance of 60 s. Throws an error of jose if the
   * token is not valid, and `KeySetUnavailable` if the keys cannot be fetched.
   */
  readonly verify: (token: string, options: JWTVerifyOptions) => Promise<JWTPayload>;
};

/** Accepted signature algorithms: asymmetric ones only, never HMAC, whose key also signs, and never `none`. */
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

/** Difference between the clocks of an issuer and of this instance that is tolerated, in both directions. */
export const clockToleranceSeconds = 60;

const fetchTimeoutMs = 5_000;
/** Minimum interval between fetches for tokens with an unknown `kid`, so that such tokens cannot flood the issuer. */
const cooldownMs = 30_000;
const maxAgeMs = 600_000;

type KeySetOptions = {
  readonly fetch?: FetchImplementation;
  /** Called when the keys of a URL cannot be fetched any more, and with undefined when they can be again. */
  readonly onTrouble?: (trouble: KeySetUnavailable | undefined) => void;
};

/**
 * Opens the key set of an issuer. Keys at a URL are fetched at once, without waiting for them, cached for ten minutes, and
 * fetched again when a token names an unknown key. A file is read at once: throws `UnusableKeys`.
 */
export async function openKeySet(source: KeySource, options: KeySetOptions = {}): Promise<KeySet> {
  if ('url' in source) return remoteKeySet(source.url, options);
  return localKeySet(await nameSourceInErrors(source.setting, () => readKeySet(source.file)));
}

/** A key set of given keys. */
export const localKeySet = (keys: JSONWebKeySet): KeySet => ({
  trouble: () => undefined,
  verify: verifying(createLocalJWKSet(keys)),
});

function remoteKeySet(url: string, { fetch = globalThis.fetch, onTrouble = () => undefined }: KeySetOptions): KeySet {
  const options = { timeoutDuration: fetchTimeoutMs, cooldownDuration: cooldownMs, cacheMaxAge: maxAgeMs };
  const find = createRemoteJWKSet(new URL(url), { ...options, [customFetch]: fetch });
  let trouble: KeySetUnavailable | undefined;
  let triedAt: number;

  function report(error: unknown): void {
    const before = trouble;
    trouble = error === undefined ? undefined : new KeySetUnavailable(url, error);
    triedAt = performance.now();
    if ((before === undefined) !== (trouble === undefined)) onTrouble(trouble);
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
    /** Without tokens to verify, keys that could not be fetched are tried again when someone asks for their state. */
    trouble() {
      if (trouble && performance.now() - triedAt > cooldownMs) void check();
      return trouble;
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

/** Whether an error is about the token rather than about fetching the keys. */
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

/** The state of a key set, for readiness. */
export type KeySetStatus = { readonly name: string; readonly trouble: KeySet['trouble'] };

/** As `openKeySet`; `name` identifies the key set for operators, in the log and in `/readyz`. */
export type OpenKeySet = (name: string, source: KeySource) => Promise<KeySet>;

type KeySetReports = {
  readonly open: OpenKeySet;
  /** All that were opened so far, in this order. */
  readonly opened: readonly KeySetStatus[];
};

/** Opens key sets, and logs once if one cannot be used, with the reason, and when it can be used again. */
export function keySetReports({
  fetch,
  log,
}: {
  readonly fetch: FetchImplementation;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}): KeySetReports {
  const opened: KeySetStatus[] = [];
  return {
    opened,
    async open(name, source) {
      const onTrouble = (trouble: KeySetUnavailable | undefined) => {
        if (trouble) log.error({ keySet: name, reason: reasonOf(trouble), err: trouble }, 'a key set cannot be used');
        else log.warn({ keySet: name }, 'a key set can be used again');
      };
      const keySet = await openKeySet(source, { fetch, onTrouble });
      opened.push({ name, trouble: keySet.trouble });
      return keySet;
    },
  };
}

/** The innermost cause: `fetch failed` alone says nothing. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? reasonOf(cause) : error.message;
}

/** The issuer that a token names, before verification; undefined if the text is no JWT or names none. */
export function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch (error) {
    if (error instanceof errors.JWTInvalid) return undefined;
    throw error;
  }
}
