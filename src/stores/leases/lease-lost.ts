import { DomainError } from '../../kernel/domain-error.js';

/** Another instance holds the lease under a later term; the write has changed nothing. */
export class LeaseLost extends DomainError {
  readonly code = 'lease_lost';

  constructor(
    readonly lease: string,
    readonly term: bigint,
  ) {
    super(`the lease ${lease} of term ${term} is over`);
  }
}
