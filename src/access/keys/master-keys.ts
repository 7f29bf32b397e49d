import { createHmac, randomBytes } from 'node:crypto';
import { UnknownKeyGeneration, UnusableKeys } from '../errors.js';
import { nameSourceInErrors, textOrFile } from './key-files.js';

/** Derivation of secrets from the master keys, so that no secret is stored. */
export type KeyDerivation = {
  /** Generation of the key for new secrets. It changes with time: read it once for each secret. */
  current: string;
  /**
   * HMAC-SHA-256 (32 bytes) of the purpose and the parts with the key of that generation. Throws
   * `UnknownKeyGeneration`.
   */
  derive: (generation: string, purpose: string, ...parts: readonly string[]) => Buffer;
};

export type MasterKeys = KeyDerivation & {
  generations: readonly string[];
  /** ISO 8601, by generation. */
  derivesFrom: Readonly<Record<string, string>>;
};

type MasterKeyTimes = {
  /** Start of the derivation from each generation; absent: at once. */
  from?: ReadonlyMap<string, Date>;
  now?: () => Date;
};

/** `keys`: at least 32 bytes each. The current key is the first whose time has come, otherwise the last. */
export function masterKeys(
  keys: ReadonlyMap<string, Buffer>,
  { from = new Map(), now = () => new Date() }: MasterKeyTimes = {},
): MasterKeys {
  const generations = [...keys.keys()];
  const last = generations.at(-1);
  if (last === undefined) throw new RangeError('at least one master key is required');
  return {
    get current() {
      const time = now();
      return generations.find((name) => (from.get(name) ?? time) <= time) ?? last;
    },
    generations,
    derivesFrom: Object.fromEntries([...from].map(([name, date]) => [name, date.toISOString()])),
    derive(generation, purpose, ...parts) {
      const key = keys.get(generation);
      if (!key) throw new UnknownKeyGeneration(generation);
      // JSON separates the parts: ['a', 'bc'] and ['ab', 'c'] differ.
      return createHmac('sha256', key)
        .update(JSON.stringify([purpose, ...parts]))
        .digest();
    },
  };
}

const minKeyBytes = 32;
/** Up to the year 33658. */
const seconds = /^\d{1,12}$/;
const generationName = /^[A-Za-z0-9_-]{1,32}$/;

/** `MASTER_KEYS`: the text of `parseMasterKeys`, or the path of a file with it. Throws `UnusableKeys`. */
export const readMasterKeys = (given: string): Promise<MasterKeys> =>
  nameSourceInErrors('MASTER_KEYS', async () => parseMasterKeys(await textOrFile(given, isMasterKeys)));

export const isMasterKeys = (given: string): boolean => /^\s*[\w-]*(@\d*)?:/.test(given);

/**
 * Parses pairs `g2:<base64>`, separated by commas or white space; keys of at least 32 bytes in base64 or base64url.
 * `g2@1800000000:…` is used for new secrets only from that time, in seconds since 1970. Throws `UnusableKeys`.
 */
export function parseMasterKeys(text: string, now?: () => Date): MasterKeys {
  const { keys, from } = parsed(text);
  return masterKeys(keys, { from, now });
}

/** Keys that were typed or padded have fewer; 32 random bytes have about 30 different ones. */
const minDifferentBytes = 12;

/** Generations whose key repeats few bytes, or the key of another generation. Throws `UnusableKeys`. */
export function weakGenerations(text: string): readonly string[] {
  const entries = [...parsed(text).keys];
  return entries
    .filter(
      ([, key]) => new Set(key).size < minDifferentBytes || entries.filter(([, other]) => other.equals(key)).length > 1,
    )
    .map(([generation]) => generation);
}

function parsed(text: string): { keys: ReadonlyMap<string, Buffer>; from: ReadonlyMap<string, Date> } {
  const keys = new Map<string, Buffer>();
  const from = new Map<string, Date>();
  const pairs = text.split(/[\s,]+/).filter((pair) => pair !== '');
  if (pairs.length === 0) throw new UnusableKeys('there must be at least one master key: g1:<base64 of 32 bytes>');
  for (const [index, pair] of pairs.entries()) {
    const colon = pair.indexOf(':');
    const [generation = '', time, ...more] = pair.slice(0, Math.max(colon, 0)).split('@');
    if (!generationName.test(generation) || more.length > 0 || (time !== undefined && !seconds.test(time))) {
      throw new UnusableKeys(
        `master key ${index + 1} must be generation:key or generation@seconds:key, where a generation is 1 to 32 letters, digits, _ or -`,
      );
    }
    if (keys.has(generation)) throw new UnusableKeys(`there are two master keys of generation ${generation}`);
    keys.set(generation, decode(pair.slice(colon + 1), generation));
    if (time !== undefined) from.set(generation, new Date(Number(time) * 1_000));
  }
  return { keys, from };
}

export const generateMasterKeys = (): string => `${generateMasterKey('g1')}\n`;

/** `from` is rounded down to whole seconds. */
export const generateMasterKey = (generation: string, from?: Date): string => {
  const time = from === undefined ? '' : `@${Math.floor(from.getTime() / 1_000)}`;
  return `${generation}${time}:${randomBytes(minKeyBytes).toString('base64')}`;
};

function decode(text: string, generation: string): Buffer {
  const key = Buffer.from(text, 'base64');
  // Node skips characters that are not base64; a mistyped key must not be accepted as a shorter key.
  const isBase64 = key.toString('base64url') === text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (!isBase64) throw new UnusableKeys(`the master key of generation ${generation} is not base64`);
  if (key.length < minKeyBytes) {
    throw new UnusableKeys(
      `the master key of generation ${generation} has ${key.length} bytes; it must have at least ${minKeyBytes}`,
    );
  }
  return key;
}
