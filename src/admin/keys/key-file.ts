import { randomUUID } from 'node:crypto';
import { open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { signingKeys } from '../../access/keys/signing-keys.js';
import { syncDirectory } from '../../kernel/directories.js';
import { asFileError } from '../../kernel/store-errors.js';
import { KeyFileLocked } from './errors.js';

/** The owner's permissions, and reading by the group. */
const keptMode = 0o640;

export type KeyFile = { text: string; replace: (text: string) => Promise<void> };

/**
 * Holds a lock. `replace` is atomic, also in a crash, and keeps owner, permitted mode and symbolic link. Throws
 * `KeyFileLocked`, and `StoreUnavailable` for errors of the file system.
 */
export async function changeKeyFile<Result>(path: string, change: (file: KeyFile) => Promise<Result>): Promise<Result> {
  const target = await realpath(path).catch(failing);
  const lock = `${target}.lock`;
  const locked = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') return failing(error);
    throw new KeyFileLocked(`another command changes ${path}; if there is none, delete ${lock}, which one has left`);
  });
  try {
    const text = await readFile(target, 'utf8').catch(failing);
    return await change({ text, replace: (next) => replaceFile(target, next).catch(failing) });
  } finally {
    await locked.close();
    await rm(lock, { force: true });
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const { uid, gid, mode } = await stat(path);
  const draft = `${path}.${randomUUID()}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      const made = await file.stat();
      if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid); // a service of another user has to read it
      await file.chmod((mode & keptMode) | 0o600);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dirname(path));
}

const failing = (error: unknown): never => {
  throw asFileError(error);
};

// The texts below are valid, because keys were read from them.

type JwkSet = { keys: readonly object[] };

export function withSigningKey(text: string, key: object): string {
  const set = JSON.parse(text) as JwkSet;
  return jwkSetText({ ...set, keys: [...set.keys, key] });
}

export async function withoutSigningKey(text: string, thumbprint: string): Promise<string> {
  const { thumbprints } = await signingKeys(text); // in the order of the set
  const set = JSON.parse(text) as JwkSet;
  const keys = set.keys.filter((_, index) => thumbprints[index] !== thumbprint);
  return keys.length === set.keys.length ? text : jwkSetText({ ...set, keys });
}

const jwkSetText = (set: JwkSet): string => `${JSON.stringify(set)}\n`;

export const withMasterKey = (text: string, pair: string): string => masterKeysText([pair, ...pairsIn(text)]);

export function withoutMasterKey(text: string, generation: string): string {
  const pairs = pairsIn(text);
  const rest = pairs.filter((pair) => pair.slice(0, pair.search(/[@:]/)) !== generation);
  return rest.length === pairs.length ? text : masterKeysText(rest);
}

const pairsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((pair) => pair !== '');

const masterKeysText = (pairs: readonly string[]): string => `${pairs.join('\n')}\n`;

/** Never used before: `g1` → `g2`. */
export function nextGeneration(current: string, used: readonly string[]): string {
  const [, name = 'g', number = '1'] = /^(.*?)(\d{1,9})$/.exec(current) ?? [];
  let next = Number(number) + 1;
  while (used.includes(`${name}${next}`)) next += 1;
  return `${name}${next}`;
}
