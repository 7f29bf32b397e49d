import { DomainError } from '../../kernel/domain-error.js';

export class KeyStillNeeded extends DomainError {
  readonly code = 'key_still_needed';
}

export class RotationUnderWay extends DomainError {
  readonly code = 'rotation_under_way';
}

export class UnknownKey extends DomainError {
  readonly code = 'unknown_key';
}

export class KeyFileLocked extends DomainError {
  readonly code = 'key_file_locked';
}
