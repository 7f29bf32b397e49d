import { randomBytes } from 'node:crypto';
import { UnusableKeys } from './errors.js';
import { type MasterKeys, masterKeys } from './master-keys.js';
import { nameSourceInErrors, textOrFile } from './text-or-file.js';

const minKeyBytes = 32;
/** Up to the year 33658. */
const seconds = /^\d{1,12}$/;
const generationName = /^[A-Za-z0-9_-]{1,32}$/;

/** Reads the value of `MASTER_KEYS`: `g2:<base64>,g1:<base64>`, see `parseMasterKeys`, or the path of a file with this text. Throws `UnusableKeys`. */
export const readMasterKeys = (given: string): Promise<MasterKeys> =>
  nameSourceInErrors('MASTER_KEYS', async () => parseMasterKeys(await textOrFile(given, isMasterKeys)));

/** Whether a value of `MASTER_KEYS` contains the keys rather than the name of a file. */
export const isMasterKeys = (given: string): boolean => /^\s*[\w-]*(@\d*)?:/.test(given);

/**
 * Parses pairs of generation and key, separated by commas or white space. Each key has at least 32 bytes, in base64 or
 * base64url. New secrets are derived from the first key; from one with a time, `g2@1800000000:<base64>` in seconds since 1970,
 * only then. Throws `UnusableKeys`.
 */
export function parseMasterKeys(text: string, now?: () => Date): MasterKeys {
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
  return masterKeys(keys, { from, ...(now && { now }) });
}

/** Generates a key of generation `g1`, as text. */
export const generateMasterKeys = (): string => `${generateMasterKey('g1')}\n`;

/** Generates a key, as a pair; `from`: when secrets begin to be derived from it, in whole seconds. */
export const generateMasterKey = (generation: string, from?: Date): string => {
  const time = from === undefined ? '' : `@${Math.floor(from.getTime() / 1_000)}`;
  return `${generation}${time}:${randomBytes(minKeyBytes).toString('base64')}`;
};

function decode(text: string, generation: string): Buffer {
  const key = Buffer.from(text, 'base64');
  // Node skips characters that are not base64; a key with a typing error must not be accepted as a shorter key.
  const isBase64 = key.toString('base64url') === text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  if (!isBase64) throw new UnusableKeys(`the master key of generation ${generation} is not base64`);
  if (key.length < minKeyBytes) {
    throw new UnusableKeys(
      `the master key of generation ${generation} has ${key.length} bytes; it must have at least ${minKeyBytes}`,
    );
  }
  return key;
}
