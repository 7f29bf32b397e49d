import { randomBytes } from 'node:crypto';
import { UnusableKeys } from './errors.js';
import { type MasterKeys, masterKeys } from './master-keys.js';
import { nameSourceInErrors, textOrFile } from './text-or-file.js';

const minKeyBytes = 32;
const generationName = /^[A-Za-z0-9_-]{1,32}$/;

/** Reads the value of `MASTER_KEYS`: `g2:<base64>,g1:<base64>`, or the path of a file with this text. Throws `UnusableKeys`. */
export const readMasterKeys = (given: string): Promise<MasterKeys> =>
  nameSourceInErrors('MASTER_KEYS', async () => parseMasterKeys(await textOrFile(given, isMasterKeys)));

/** Whether a value of `MASTER_KEYS` contains the keys rather than the name of a file. */
export const isMasterKeys = (given: string): boolean => /^\s*[\w-]*:/.test(given);

/**
 * Parses pairs of generation and key, separated by commas or white space; new secrets are derived from the first. Each key
 * has at least 32 bytes, in base64 or base64url. Throws `UnusableKeys`.
 */
export function parseMasterKeys(text: string): MasterKeys {
  const keys = new Map<string, Buffer>();
  const pairs = text.split(/[\s,]+/).filter((pair) => pair !== '');
  if (pairs.length === 0) throw new UnusableKeys('there must be at least one master key: g1:<base64 of 32 bytes>');
  for (const [index, pair] of pairs.entries()) {
    const colon = pair.indexOf(':');
    const generation = pair.slice(0, Math.max(colon, 0));
    if (!generationName.test(generation)) {
      throw new UnusableKeys(
        `master key ${index + 1} must be generation:key, where a generation is 1 to 32 letters, digits, _ or -`,
      );
    }
    if (keys.has(generation)) throw new UnusableKeys(`there are two master keys of generation ${generation}`);
    keys.set(generation, decode(pair.slice(colon + 1), generation));
  }
  return masterKeys(keys);
}

/** Generates a key of generation `g1`, as text. */
export const generateMasterKeys = (): string => `g1:${randomBytes(minKeyBytes).toString('base64')}\n`;

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
