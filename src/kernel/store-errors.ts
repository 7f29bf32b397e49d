import { DomainError } from './domain-error.js';

/** The store cannot be reached, is busy or is closed. The operation may be retried. */
export class StoreUnavailable extends DomainError {
  readonly code = 'store_unavailable';

  constructor(
    message: string,
    readonly options: { readonly cause?: unknown; readonly retryAfterMs?: number } = {},
  ) {
    super(message, { cause: options.cause });
  }
}

/**
 * The stored file or database is newer than this version, damaged, or not of this service. It has been left untouched.
 */
export class StoreUnusable extends DomainError {
  readonly code = 'store_unusable';
}

/** The content cannot be read: overwritten, truncated or otherwise damaged. */
export class StoreDamaged extends StoreUnusable {
  constructor(
    /** The damaged file or collection. */
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
