import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, createLocalJWKSet, type JWK, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { UnusableKeys } from '../errors.js';
import { nameSourceInErrors, textOrFile } from './key-files.js';

export type SigningKeys = {
  /** Returns a compact JWS (RFC 7515); `type` becomes the header's `typ`. */
  sign: (claims: JWTPayload, type: string) => Promise<string>;
  find: JWTVerifyGetKey;
  algorithms: readonly string[];
  publicKeys: { keys: readonly JWK[] };
  /** RFC 7638, in the order of the set. */
  thumbprints: readonly [string, ...string[]];
  /** ISO 8601, by thumbprint. */
  signsFrom: Readonly<Record<string, string>>;
  signer: () => { thumbprint: string; publicJwk: JWK };
};

/** Signs on Node's thread pool, which does not block the event loop, at a third of WebCrypto's cost. */
const signInThreadPool = promisify(sign);

const jwk = z.looseObject({
  kty: z.string(),
  crv: z.string().optional(),
  kid: z.string().min(1).optional(),
  /** Start of signing, in seconds since 1970; not a standard member, never published. */
  signs_from: z.int().nonnegative().max(8_640_000_000_000).optional(),
});
const jwkSet = z.object({ keys: z.array(jwk).min(1) });

/** `SIGNING_KEYS`: a JWK set (RFC 7517), or the path of a file with one. Throws `UnusableKeys`. */
export const readSigningKeys = (given: string): Promise<SigningKeys> =>
  nameSourceInErrors('SIGNING_KEYS', async () => signingKeys(await textOrFile(given, isSigningKeys)));

export const isSigningKeys = (given: string): boolean => /^\s*\{/.test(given);

/**
 * All keys verify. The key with the latest `signs_from` that has passed signs, otherwise the first without that member;
 * it must be private. ES256 for P-256, EdDSA for Ed25519. The default `kid` is the thumbprint (RFC 7638). Throws
 * `UnusableKeys`.
 */
export async function signingKeys(jwkSetJson: string, now: () => Date = () => new Date()): Promise<SigningKeys> {
  const keys = await Promise.all(parse(jwkSetJson).map(readKey));
  const signerNow = signerOf(keys);
  const signer = () => signerNow(now());
  signer();
  const publicKeys = { keys: keys.map((key) => key.publicJwk) };
  const kids = new Set(publicKeys.keys.map(({ kid }) => kid));
  if (kids.size < keys.length) throw new UnusableKeys('two signing keys have the same kid');

  return {
    async sign(claims, type) {
      const { privateKey, algorithm, publicJwk } = signer();
      const header = encode({ alg: algorithm.name, kid: publicJwk.kid, typ: type });
      const content = `${header}.${encode(claims)}`;
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const; // RFC 7518 §3.4; Ed25519 has only one encoding
      const signature = await signInThreadPool(algorithm.digest, Buffer.from(content), key);
      return `${content}.${signature.toString('base64url')}`;
    },
    find: createLocalJWKSet(publicKeys as { keys: JWK[] }), // jose does not modify it
    algorithms: [...new Set(keys.map((key) => key.algorithm.name))],
    publicKeys,
    thumbprints: keys.map(({ thumbprint }) => thumbprint) as [string, ...string[]], // not empty: a key signs
    signsFrom: Object.fromEntries(
      keys.flatMap(({ thumbprint, signsFrom }) => (signsFrom ? [[thumbprint, signsFrom.toISOString()]] : [])),
    ),
    signer,
  };
}

type Signer = Key & { privateKey: KeyObject };

/** Throws `UnusableKeys` if a key that has to sign is public. */
function signerOf(keys: readonly Key[]): (now: Date) => Signer {
  const first = keys.find(({ signsFrom }) => signsFrom === undefined) ?? keys[0];
  const timed = keys.filter((key): key is Key & { signsFrom: Date } => key.signsFrom !== undefined);
  const latestFirst = timed.sort((one, other) => other.signsFrom.getTime() - one.signsFrom.getTime());
  if (latestFirst.some((key) => !isSigner(key)))
    throw new UnusableKeys('a signing key with signs_from must be private');
  return (now) => {
    const signer = latestFirst.find(({ signsFrom }) => signsFrom <= now) ?? first;
    if (!signer || !isSigner(signer))
      throw new UnusableKeys('the first signing key is public: it must be private to sign');
    return signer;
  };
}

const isSigner = (key: Key): key is Signer => key.privateKey !== undefined;

export function generateSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
}

/** Generates a key of the same kind as `like`. */
export function generateSigningKey({ like, signsFrom }: { like: JWK; signsFrom: Date }): object {
  const { privateKey } =
    like.kty === 'OKP' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), signs_from: Math.floor(signsFrom.getTime() / 1_000) };
}

type Algorithm = { name: 'ES256' | 'EdDSA'; digest: 'sha256' | null };

const algorithms: Readonly<Record<string, Algorithm>> = {
  'EC P-256': { name: 'ES256', digest: 'sha256' },
  'OKP Ed25519': { name: 'EdDSA', digest: null },
};

type Key = {
  privateKey: KeyObject | undefined;
  publicJwk: JWK;
  thumbprint: string;
  algorithm: Algorithm;
  /** Undefined: at any time, if it is the first. */
  signsFrom: Date | undefined;
};

function parse(json: string): readonly z.output<typeof jwk>[] {
  try {
    return jwkSet.parse(JSON.parse(json)).keys;
  } catch {
    // No cause: the parsers' messages may quote the key.
    throw new UnusableKeys('the signing keys must be a JWK set: {"keys": [{"kty": …}]}');
  }
}

async function readKey(key: z.output<typeof jwk>, index: number): Promise<Key> {
  const name = `signing key ${index + 1}`;
  const algorithm = algorithms[`${key.kty} ${key.crv}`];
  if (!algorithm) throw new UnusableKeys(`${name} must be an EC key on P-256 or an OKP key on Ed25519`);
  try {
    const input = { key: key as JsonWebKey, format: 'jwk' as const }; // Node validates it
    const privateKey = 'd' in key ? createPrivateKey(input) : undefined;
    const exported = createPublicKey(privateKey ?? input).export({ format: 'jwk' }) as JWK; // Node's type of the same object
    const thumbprint = await calculateJwkThumbprint(exported);
    const publicJwk: JWK = { ...exported, kid: key.kid ?? thumbprint, use: 'sig', alg: algorithm.name };
    const signsFrom = key.signs_from === undefined ? undefined : new Date(key.signs_from * 1_000);
    return { privateKey, publicJwk, thumbprint, algorithm, signsFrom };
  } catch {
    throw new UnusableKeys(`${name} is not a valid ${key.kty} key`);
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
