import { DomainError } from '../../kernel/domain-error.js';

/** A request that leads to no platform: its client or redirect URI is not registered, or its sign-in is over. */
export class SignInRefused extends DomainError {
  readonly code = 'invalid_request';
}
