import { DomainError } from '../../kernel/domain-error.js';

/** A key cannot be retired yet: it is in use, or what was made with it still is. The message says what. */
export class KeyStillNeeded extends DomainError {
  readonly code = 'key_still_needed';
}

/** A new key has been published and is not used yet, so another one would be confusing. */
export class RotationUnderWay extends DomainError {
  readonly code = 'rotation_under_way';
}

/** The service has no such key. */
export class UnknownKey extends DomainError {
  readonly code = 'unknown_key';
}

/** The file of the keys cannot be changed now. */
export class KeyFileLocked extends DomainError {
  readonly code = 'key_file_locked';
}
