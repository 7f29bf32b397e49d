/**
 * A failure that a caller can act on. `code` is a stable, machine-readable name that callers see as `error`; the
 * message is for people and never contains a secret. HTTP statuses are assigned in `http/`, exit codes in `cli/`.
 */
export abstract class DomainError extends Error {
  abstract readonly code: string;

  override get name(): string {
    return this.constructor.name;
  }
}

/** An invalid request: the message says what would be valid. */
export class InvalidRequest extends DomainError {
  readonly code = 'invalid_request';
}

/** A message on one line: some, such as SQLite's, have several. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ');
