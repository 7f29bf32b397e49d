import { DomainError } from '../../kernel/domain-error.js';

/** Somebody else holds the lease under a later term: what was asked under this one has changed nothing. */
export class LeaseLost extends DomainError {
  readonly code = 'lease_lost';

  constructor(
    readonly lease: string,
    readonly term: bigint,
  ) {
    super(`the lease ${lease} of term ${term} is over`);
  }
}
