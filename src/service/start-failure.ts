import { UnusableKeys } from '../access/errors.js';
import { DomainError, oneLine } from '../kernel/domain-error.js';
import { knownReason } from '../kernel/reason-in-words.js';
import { InvalidConfiguration } from './config/settings.js';

/** An error of Node about the network or a file, or of SQLite about a file, which has only a code. */
type SystemError = Error & {
  code: string;
  path?: string;
  port?: number;
  address?: string;
  hostname?: string;
};

/**
 * The reasons for which the service does not start, for an operator: one line for each, with the setting that it concerns.
 * An unexpected error is shown with its stack.
 */
export function startFailure(error: unknown, dataDirectory: string): readonly string[] {
  if (error instanceof InvalidConfiguration) return error.problems.map(({ message }) => oneLine(message));
  const reason = ofListening(error) ?? ofDataDirectory(error, dataDirectory) ?? ofDomain(error, dataDirectory);
  if (reason !== undefined) return [oneLine(reason)];
  const known = knownReason(error);
  if (known !== undefined) return [oneLine(`${known} (${error instanceof Error ? error.message : error})`)];
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

function ofListening(error: unknown): string | undefined {
  if (!isSystemError(error)) return undefined;
  const { code, port, address, hostname } = error;
  if (code === 'EADDRINUSE') return `PORT ${port} is in use on ${address}: choose another PORT`;
  if (code === 'EADDRNOTAVAIL') return `HOST ${address} is not an address of this machine`;
  if (code === 'EACCES' && port !== undefined) return `PORT ${port} needs privileges that this process does not have`;
  if (hostname !== undefined) {
    return `HOST ${hostname} cannot be resolved (${code}): it must be an address of this machine, or a name of one`;
  }
  return port === undefined ? undefined : `HOST ${address}, PORT ${port}: ${error.message}`;
}

const writing = 'cannot be written by this process';
const directoryFailures: Readonly<Record<string, string>> = {
  EEXIST: 'is not a directory',
  ENOTDIR: 'is not a directory',
  ENOENT: 'does not exist and cannot be created',
  EACCES: writing,
  EPERM: writing,
  EROFS: writing,
  SQLITE_CANTOPEN: writing,
  SQLITE_READONLY: writing,
  SQLITE_READONLY_DIRECTORY: writing,
  ENOSPC: 'is on a disk that is full',
  SQLITE_FULL: 'is on a disk that is full',
};

/** An error about a file of the data directory, or about a directory above it. */
function ofDataDirectory(error: unknown, directory: string): string | undefined {
  const cause = error instanceof DomainError ? error.cause : error;
  if (!(error instanceof Error) || !isSystemError(cause) || namesSetting(error)) return undefined;
  const isWithin = [error.message, cause.path ?? ''].some((text) => text.includes(directory));
  const isAbove = cause.path !== undefined && directory.startsWith(`${cause.path}/`);
  if (!isWithin && !isAbove) return undefined;
  return `DATA_DIR ${directory} ${directoryFailures[cause.code] ?? 'cannot be used'}: ${error.message}`;
}

function ofDomain(error: unknown, dataDirectory: string): string | undefined {
  if (!(error instanceof DomainError)) return undefined;
  return error.message.includes(dataDirectory) && !namesSetting(error) ? `DATA_DIR: ${error.message}` : error.message;
}

const namesSetting = (error: Error): boolean => error instanceof UnusableKeys && /^[A-Z_]+: /.test(error.message);

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && !(error instanceof DomainError);
