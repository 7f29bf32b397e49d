import { DomainError } from '../../kernel/domain-error.js';

/** A hook URL points where deliveries must not go. The message says why, and never holds the URL. */
export class TargetNotAllowed extends DomainError {
  readonly code = 'target_not_allowed';
}
