import { DomainError } from '../kernel/domain-error.js';

/** The seal is damaged, forged, or signed with an untrusted key. The store was not checked. */
export class SealNotGenuine extends DomainError {
  readonly code = 'seal_not_genuine';
}

/** The history differs from the seal. The message names the first difference, without the content of events. */
export class HistoryTampered extends DomainError {
  readonly code = 'history_tampered';
}

/** Views differ from the events. */
export class ViewsDiffer extends DomainError {
  readonly code = 'views_differ';
}

/** The seal cannot be made, or not written to that path. */
export class SealRefused extends DomainError {
  readonly code = 'seal_refused';
}

/** This process makes or checks a seal already. */
export class SealWorkUnderWay extends DomainError {
  readonly code = 'seal_work_under_way';
}

/** A key cannot be retired yet: it or something made with it is in use. The message names it. */
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

/** The copy cannot be made: the target has other content, or cannot store an event of the source. */
export class CopyRefused extends DomainError {
  readonly code = 'copy_refused';
}

/** The copy differs from the source. The message names the first difference, without the content of events. */
export class CopyDiffers extends DomainError {
  readonly code = 'copy_differs';
}
