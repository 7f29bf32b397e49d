import { DomainError } from '../../kernel/domain-error.js';

/** The keys that were configured cannot be used. The message says which and why, and never holds key material. */
export class UnusableKeys extends DomainError {
  readonly code = 'unusable_keys';
}

/** The keys of an issuer cannot be fetched now, so that nobody can tell whether its tokens are good. May be tried again. */
export class KeySetUnavailable extends DomainError {
  readonly code = 'key_set_unavailable';

  constructor(source: string, cause: unknown) {
    super(`the key set at ${source} cannot be fetched`, { cause });
  }
}

/** The instance has other keys than the service was started with: tokens and secrets that it made would be worthless. */
export class KeysDiffer extends DomainError {
  readonly code = 'keys_differ';
}
