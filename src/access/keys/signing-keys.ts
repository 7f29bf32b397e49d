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
import { UnusableKeys } from './errors.js';
import { nameSourceInErrors, textOrFile } from './text-or-file.js';

/** The keys that our own tokens are signed with. */
export type SigningKeys = {
  /** A compact JWS (RFC 7515) by the first key. `type` becomes the header's `typ`. */
  readonly sign: (claims: JWTPayload, type: string) => Promise<string>;
  /** Finds the key that a token names; for jose's `jwtVerify`. */
  readonly find: JWTVerifyGetKey;
  readonly algorithms: readonly string[];
  /** As published: without private members. */
  readonly publicKeys: { readonly keys: readonly JWK[] };
  /** RFC 7638; the first is the one that signs. */
  readonly thumbprints: readonly [string, ...string[]];
};

/** Node's own, which keeps the thread that serves free at a third of the cost of WebCrypto. */
const signInThreadPool = promisify(sign);

const jwk = z.looseObject({ kty: z.string(), crv: z.string().optional(), kid: z.string().min(1).optional() });
const jwkSet = z.object({ keys: z.array(jwk).min(1) });

/** What `SIGNING_KEYS` says: a JWK set (RFC 7517) as JSON, or the name of a file that holds one. Throws `UnusableKeys`. */
export const readSigningKeys = (given: string): Promise<SigningKeys> =>
  nameSourceInErrors('SIGNING_KEYS', async () => signingKeys(await textOrFile(given, /^\s*\{/)));

/**
 * The first key of the set signs, all verify; the first must be private. P-256 keys sign ES256, Ed25519 keys EdDSA.
 * A key without a `kid` goes by its thumbprint (RFC 7638). Throws `UnusableKeys`.
 */
export async function signingKeys(jwkSetJson: string): Promise<SigningKeys> {
  const keys = await Promise.all(parse(jwkSetJson).map(readKey));
  const [signer] = keys;
  if (!signer?.privateKey) throw new UnusableKeys('the first signing key is a public one: it must be private to sign');
  const { privateKey, algorithm, publicJwk } = signer;
  const publicKeys = { keys: keys.map((key) => key.publicJwk) };
  const kids = new Set(publicKeys.keys.map(({ kid }) => kid));
  if (kids.size < keys.length) throw new UnusableKeys('two signing keys have the same kid');

  return {
    async sign(claims, type) {
      const header = encode({ alg: algorithm.name, kid: publicJwk.kid, typ: type });
      const content = `${header}.${encode(claims)}`;
      const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const; // RFC 7518 §3.4; Ed25519 has only one
      const signature = await signInThreadPool(algorithm.digest, Buffer.from(content), key);
      return `${content}.${signature.toString('base64url')}`;
    },
    find: createLocalJWKSet(publicKeys as { keys: JWK[] }), // jose does not change it
    algorithms: [...new Set(keys.map((key) => key.algorithm.name))],
    publicKeys,
    thumbprints: keys.map(({ thumbprint }) => thumbprint) as [string, ...string[]], // there is a signer
  };
}

/** A new set of one ES256 key, as JSON. */
export function generateSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify({ keys: [privateKey.export({ format: 'jwk' })] });
}

type Algorithm = { readonly name: 'ES256' | 'EdDSA'; readonly digest: 'sha256' | null };

const algorithms: Readonly<Record<string, Algorithm>> = {
  'EC P-256': { name: 'ES256', digest: 'sha256' },
  'OKP Ed25519': { name: 'EdDSA', digest: null },
};

type Key = {
  readonly privateKey: KeyObject | undefined;
  readonly publicJwk: JWK;
  readonly thumbprint: string;
  readonly algorithm: Algorithm;
};

function parse(json: string): readonly z.output<typeof jwk>[] {
  try {
    return jwkSet.parse(JSON.parse(json)).keys;
  } catch {
    // What the parsers say of it may quote it: the cause is left out.
    throw new UnusableKeys('the signing keys must be a JWK set: {"keys": [{"kty": …}]}');
  }
}

async function readKey(key: z.output<typeof jwk>, index: number): Promise<Key> {
  const which = `signing key ${index + 1}`;
  const algorithm = algorithms[`${key.kty} ${key.crv}`];
  if (!algorithm) throw new UnusableKeys(`${which} must be an EC key on P-256 or an OKP key on Ed25519`);
  try {
    const input = { key: key as JsonWebKey, format: 'jwk' as const }; // Node checks it
    const privateKey = 'd' in key ? createPrivateKey(input) : undefined;
    const exported = createPublicKey(privateKey ?? input).export({ format: 'jwk' }) as JWK; // by definition
    const thumbprint = await calculateJwkThumbprint(exported);
    const publicJwk: JWK = { ...exported, kid: key.kid ?? thumbprint, use: 'sig', alg: algorithm.name };
    return { privateKey, publicJwk, thumbprint, algorithm };
  } catch {
    throw new UnusableKeys(`${which} is not a valid ${key.kty} key`);
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
