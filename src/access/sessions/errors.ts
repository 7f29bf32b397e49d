import { DomainError } from '../../kernel/domain-error.js';

export class SessionNotFound extends DomainError {
  readonly code = 'session_not_found';

  constructor(sessionId: string) {
    super(`there is no session ${sessionId}`);
  }
}
