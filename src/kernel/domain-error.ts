/**
 * A failure that a caller can act on. `code` is stable and shown to callers as `error`; the message never contains a
 * secret. `http/` assigns statuses, `cli/` exit codes.
 */
export abstract class DomainError extends Error {
  abstract readonly code: string;

  override get name(): string {
    return this.constructor.name;
  }
}

export class InvalidRequest extends DomainError {
  readonly code = 'invalid_request';
}

/** A message on one line: SQLite's may have several. */
export const oneLine = (text: string): string => text.replace(/\s*[\r\n]+\s*/g, ' ');
