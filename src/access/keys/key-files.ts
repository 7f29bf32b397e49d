import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectory, syncDirectory } from '../../kernel/directories.js';
import type { TaskLog, WarningLog } from '../../kernel/log.js';
import { everyInterval } from '../../kernel/shared-interval.js';
import { StoreUnavailable } from '../../kernel/store-errors.js';
import { UnusableKeys } from '../errors.js';

/**
 * Returns `given` if it is the text itself, else the text of the file with this path. Throws `UnusableKeys`; the
 * message contains the path unless it may be key material.
 */
export async function textOrFile(given: string, isText: (given: string) => boolean): Promise<string> {
  if (isText(given)) return given;
  try {
    return await readFile(given, 'utf8');
  } catch (error) {
    throw new UnusableKeys(describeReadError(error, printablePath(given)), { cause: error });
  }
}

export function describeReadError(error: unknown, file: string): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return `${file} ${reasons[code] ?? `cannot be read (${code})`}`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a directory',
  EACCES: 'may not be read by this process',
  EPERM: 'may not be read by this process',
};

/** The path for a message, unless it may be key material. */
export const printablePath = (given: string): string => (isSurelyPath(given) ? given : 'the file given');

/** True only if it cannot be key material: base64 has no dot and may end in `=`; JSON has quotes. */
const isSurelyPath = (given: string): boolean =>
  /^[\w./~-]+$/.test(given) && (given.startsWith('/') || given.includes('.'));

/** Prefixes the message of `UnusableKeys` with the setting or file. */
export async function nameSourceInErrors<Keys>(source: string, read: () => Promise<Keys> | Keys): Promise<Keys> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnusableKeys)) throw error;
    throw new UnusableKeys(`${source}: ${error.message}`, { cause: error.cause });
  }
}

/**
 * Creates the file (mode 0600) if it does not exist. If two processes create it at once, both return the same text. A
 * crash leaves either no file or the complete file.
 */
export async function readOrCreateFile(path: string, create: () => string): Promise<string> {
  const existing = await readIfExists(path);
  if (existing !== undefined) return existing;

  const directory = dirname(path);
  makeDirectory(directory);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, create(), { flag: 'wx', mode: 0o600, flush: true });
    // A link never replaces a file that another process has created; a rename would.
    await link(draft, path).catch(unless('EEXIST'));
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(directory);
  return readFile(path, 'utf8');
}

const readIfExists = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(unless('ENOENT'));

const unless =
  (code: string) =>
  (error: unknown): undefined => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };

/** All permissions of others, and writing by the group. A group may read: a service and its operators share one. */
const exposingBits = 0o027;

/**
 * Warns of files with secrets that others may read or the group may write. Skips missing files, and Windows, whose
 * modes do not restrict access.
 */
export async function warnOfExposedFiles(paths: readonly string[], log: WarningLog): Promise<void> {
  if (process.platform === 'win32') return;
  for (const file of paths) {
    const found = await stat(file).catch(() => undefined); // reading it reports the reason
    if (!found || (found.mode & exposingBits) === 0) continue;
    const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
    log.warn({ file, mode }, 'other users can read or change a file with keys: its mode should be 0600');
  }
}

type FollowFiles = {
  what: string;
  log: TaskLog;
  checkEveryMs: number;
  /** Must be much less than the time between the publication of a key and its use. */
  lookEveryMs?: number;
  /** Repeated until it succeeds. */
  onChanged: () => Promise<void>;
};

/** Logs a failure once for each reason. */
export function followFiles(
  files: readonly string[],
  { what, log, checkEveryMs, lookEveryMs = 5_000, onChanged }: FollowFiles,
): () => void {
  if (files.length === 0) return () => undefined;
  let adopted: string | undefined;
  let lastFailure: string | undefined;
  let lookedAt = performance.now();
  let isLooking = false;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      const version = await versionOf(files);
      if (version === adopted || isStopped) return;
      await onChanged();
      if (adopted !== undefined) log.info({ files }, `the ${what} were read again`);
      [adopted, lastFailure] = [version, undefined];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const isExpected = error instanceof StoreUnavailable; // the store's failure is reported elsewhere
      if (!isExpected && reason !== lastFailure)
        log.error({ files, err: error }, `the changed ${what} cannot be used; the previous ones stay in use`);
      lastFailure = reason;
    }
  }

  const stop = everyInterval(checkEveryMs, () => {
    if (isLooking || performance.now() - lookedAt < lookEveryMs) return;
    lookedAt = performance.now();
    isLooking = true;
    void look().finally(() => {
      isLooking = false;
    });
  });
  return () => {
    isStopped = true;
    stop();
  };
}

/** Throws if a file is missing. */
async function versionOf(files: readonly string[]): Promise<string> {
  const versions = files.map(async (file) => {
    const { ino, mtimeMs, size } = await stat(file);
    return `${ino} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(versions)).join();
}
