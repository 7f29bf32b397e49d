import { DomainError } from '../../kernel/domain-error.js';

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
