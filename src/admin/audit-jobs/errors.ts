import { DomainError } from '../../kernel/domain-error.js';

/** This process makes or checks a seal already. */
export class SealWorkUnderWay extends DomainError {
  readonly code = 'seal_work_under_way';
}
