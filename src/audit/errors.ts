import { DomainError } from '../kernel/domain-error.js';

/** Damaged, forged, or signed with an untrusted key. */
export class SealNotGenuine extends DomainError {
  readonly code = 'seal_not_genuine';
}

/** The message names the first difference, without the content of events. */
export class HistoryTampered extends DomainError {
  readonly code = 'history_tampered';
}

export class ViewsDiffer extends DomainError {
  readonly code = 'views_differ';
}

/** Not made, or not written to that path. */
export class SealRefused extends DomainError {
  readonly code = 'seal_refused';
}

export class SealWorkUnderWay extends DomainError {
  readonly code = 'seal_work_under_way';
}
