import { DomainError } from '../../kernel/domain-error.js';

export class ConsentNotFound extends DomainError {
  readonly code = 'consent_not_found';

  constructor(consentId: string) {
    super(`there is no consent with the ID ${consentId}`);
  }
}
