import { DomainError } from '../kernel/domain-error.js';

/** The target has other content, or cannot store an event of the source. */
export class CopyRefused extends DomainError {
  readonly code = 'copy_refused';
}

/** The message names the first difference, without the content of events. */
export class CopyDiffers extends DomainError {
  readonly code = 'copy_differs';
}
