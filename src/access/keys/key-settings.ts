import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { needed, setting } from '../../kernel/settings/setting.js';
import { type AdminKey, adminRoles } from '../admin-keys.js';
import { describeReadError, printablePath } from './key-files.js';
import { isMasterKeys, weakGenerations } from './master-keys.js';

const minKeyLength = 16;

/** `name:key` (an owner's) or `name:role:key`. */
const adminKey = z
  .string()
  .transform((text) => /^(?<name>[^:]*):((?<role>[A-Za-z]{1,16}):)?(?<key>.*)$/s.exec(text)?.groups ?? {})
  .superRefine(({ name = '', role, key = '' }, { addIssue }) => {
    if (!/^[\w.@-]{1,64}$/.test(name))
      addIssue('must be name:key or name:role:key, a name being letters, digits and . _ @ -');
    if (role === undefined && roleOf(name))
      addIssue(`must name the holder of the key before the role: name:${name}:key`);
    if (role !== undefined && !roleOf(role)) addIssue(`must name a role of ${adminRoles.join(', ')} for ${name}`);
    if (!/^[\x21-\x7e]*$/.test(key)) addIssue('must hold keys without blanks, in ASCII');
    if (key.length < minKeyLength) addIssue(`must hold keys of at least ${minKeyLength} characters`);
  })
  .transform(({ name = '', role = 'owner', key = '' }) => [name, { role: roleOf(role) ?? 'viewer', key }] as const);

const roleOf = (text: string) => adminRoles.find((role) => role === text);

const adminKeys = z
  .array(adminKey)
  .superRefine((entries, { addIssue }) => {
    const twice = entries.find(([name], index) => entries.findIndex(([other]) => other === name) < index);
    if (twice) addIssue(`names ${twice[0]} twice`);
  })
  .transform((entries) => new Map<string, AdminKey>(entries));

const fileOf = (text: string) => (text.includes(':') ? undefined : text); // each key has a colon

/** The keys between commas, or the name of a file with one on each line. */
const keysOrFile = z
  .string()
  .transform((text, { addIssue }) => {
    try {
      const entries = fileOf(text) === undefined ? text.split(',') : readFileSync(text, 'utf8').split('\n');
      return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
    } catch (error) {
      const reason = describeReadError(error, printablePath(text));
      addIssue(`must be name:key pairs or the name of a file with them, but ${reason}`);
      return z.NEVER;
    }
  })
  .pipe(adminKeys);

/** Number of different characters of a key that was typed by holding one down. */
const maxGuessable = 4;

const guessable = (keys: ReadonlyMap<string, AdminKey> | undefined) =>
  [...(keys?.values() ?? [])].some(({ key }) => new Set(key).size <= maxGuessable) &&
  'an admin key of few different characters is guessed';

/** `given`: the keys or the name of their file. False for keys that cannot be read, of which the start fails. */
function hasWeakKeys(given: string): boolean {
  try {
    return weakGenerations(isMasterKeys(given) ? given : readFileSync(given, 'utf8')).length > 0;
  } catch {
    return false;
  }
}

const several = setting('ADMIN_KEYS', keysOrFile.optional(), { voids: guessable });
const single = z
  .string()
  .transform((text) => [`admin:${text}`])
  .pipe(adminKeys);

/** Undefined keys are created in the data directory (development only). */
export const keySettings = z
  .object({
    /** A JWK set, or the path of a file with it. */
    signingKeys: setting('SIGNING_KEYS', z.string().optional(), {
      problem: needed('a JWK set, or the name of a file that holds one'),
    }),
    /** Pairs `g1:<base64>`, or the path of a file with them. */
    masterKeys: setting('MASTER_KEYS', z.string().optional(), {
      problem: needed('generation:key pairs such as g1:<base64 of 32 bytes>, or the name of a file that holds them'),
      voids: (given) =>
        given !== undefined && hasWeakKeys(given) && 'secrets of a key that repeats bytes or another key are guessed',
    }),
    several,
    adminKeyFile: setting('ADMIN_KEYS', z.string().transform(fileOf).optional()),
    single: setting('ADMIN_KEY', single.optional(), {
      problem: (keys, given) => keys && given(several)?.has('admin') && 'names admin twice',
      voids: guessable,
      permittedAs: 'ADMIN_KEYS',
    }),
  })
  .transform(({ several = [], single = [], ...given }) => {
    const keys = new Map([...several, ...single]);
    return { ...given, adminKeys: keys.size > 0 ? keys : undefined };
  });
