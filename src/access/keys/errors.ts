import { DomainError } from '../../kernel/domain-error.js';

/** Configured keys cannot be used. The message names the key and the reason, and never contains key material. */
export class UnusableKeys extends DomainError {
  readonly code = 'unusable_keys';
}

/** The keys of an issuer cannot be fetched now, so its tokens cannot be verified. A retry may succeed. */
export class KeySetUnavailable extends DomainError {
  readonly code = 'key_set_unavailable';

  constructor(source: string, cause: unknown) {
    super(`the key set at ${source} cannot be fetched`, { cause });
  }
}

/** The instance has other keys than the service recorded: its tokens and secrets would be invalid elsewhere. */
export class KeysDiffer extends DomainError {
  readonly code = 'keys_differ';
}
