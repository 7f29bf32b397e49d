import { DomainError } from '../../kernel/domain-error.js';

/** The copy cannot be made: what the target holds is not of it, or the source holds what the target cannot. */
export class CopyRefused extends DomainError {
  readonly code = 'copy_refused';
}

/** The copy is not what it should be. The message names the first difference, and nothing of what the events say. */
export class CopyDiffers extends DomainError {
  readonly code = 'copy_differs';
}
