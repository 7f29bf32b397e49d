import { DomainError } from '../../kernel/domain-error.js';

/** The seal cannot be relied on: damaged, forged, or signed with a key that nobody vouches for. The store was not looked at. */
export class SealNotGenuine extends DomainError {
  readonly code = 'seal_not_genuine';
}

/** The history is not what was sealed. The message names the first difference, and nothing of what the events say. */
export class HistoryTampered extends DomainError {
  readonly code = 'history_tampered';
}

/** Views do not say what the events say. */
export class ViewsDiffer extends DomainError {
  readonly code = 'views_differ';
}

/** The seal cannot be made, or not there. */
export class SealRefused extends DomainError {
  readonly code = 'seal_refused';
}
