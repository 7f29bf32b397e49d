import { CommanderError } from 'commander';
import { DomainError, oneLine } from '../kernel/domain-error.js';
import { knownReason } from '../kernel/reason-in-words.js';
import { InvalidConfiguration } from '../service/config/settings.js';

/** Exit codes that scripts can use. */
export const exitCodes = {
  done: 0,
  /** The operation was refused or failed; the message says why. */
  failed: 1,
  /** The command line or a setting is invalid. */
  usage: 2,
  /** The store or the service cannot be used now: missing, busy, damaged, newer, unreachable. */
  store: 3,
} as const;

/** The command line is invalid. */
export class UsageError extends Error {}

const codesByError: Readonly<Record<string, number>> = {
  invalid_request: exitCodes.usage,
  invalid_connection_string: exitCodes.usage,
  directory_in_use: exitCodes.store,
  no_store: exitCodes.store,
  service_unreachable: exitCodes.store,
  store_unavailable: exitCodes.store,
  store_unusable: exitCodes.store,
};

type Failure = {
  /** Several lines for invalid settings, one for each. Undefined for errors that Commander has already printed. */
  line: string | undefined;
  code: string;
  exitCode: number;
};

/** The message, the code and the exit code for an error. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof CommanderError) {
    return { line: undefined, code: 'usage', exitCode: error.exitCode === 0 ? exitCodes.done : exitCodes.usage };
  }
  if (error instanceof UsageError || error instanceof InvalidConfiguration) {
    return { line: error.message, code: 'usage', exitCode: exitCodes.usage };
  }
  if (error instanceof DomainError) {
    const { code, message } = error;
    return { line: oneLine(message), code, exitCode: codesByError[code] ?? exitCodes.failed };
  }
  const message = oneLine(error instanceof Error ? error.message : String(error));
  const reason = knownReason(error);
  if (reason !== undefined)
    return { line: `${reason} (${message})`, code: 'store_unusable', exitCode: exitCodes.store };
  return { line: `unexpected: ${message}`, code: 'unexpected', exitCode: exitCodes.failed };
}

/** An error for standard error, on as many lines as the message has; with `--json` on one: `{"error": code, "message": …}`. */
export const errorLine = ({ code, message }: { code: string; message: string }, json: boolean): string =>
  json
    ? `${JSON.stringify({ error: code, message: message.replaceAll('\n', '; ') })}\n`
    : `${message.replaceAll(/^/gm, 'flow-hooks: ')}\n`;
