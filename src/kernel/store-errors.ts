import { DomainError } from './domain-error.js';

/** The operation may be retried. */
export class StoreUnavailable extends DomainError {
  readonly code = 'store_unavailable';

  constructor(
    message: string,
    readonly options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(message, { cause: options.cause });
  }
}

/** Newer than this version, damaged, or not of this service. It has been left untouched. */
export class StoreUnusable extends DomainError {
  readonly code = 'store_unusable';
}

/** Overwritten, truncated or otherwise damaged content. */
export class StoreDamaged extends StoreUnusable {
  constructor(
    /** File or collection. */
    readonly place: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Another service has this data directory open. */
export class DirectoryInUse extends DomainError {
  readonly code = 'directory_in_use';
}

export const asFileError = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error ? new StoreUnavailable(error.message, { cause: error }) : error;
