import { DomainError } from '../../kernel/domain-error.js';

/** The provider cannot be reached or does not answer as a provider does. A retry may succeed. */
export class ProviderUnavailable extends DomainError {
  readonly code = 'identity_provider_unavailable';

  constructor(issuer: string, cause: unknown) {
    super(`the identity provider ${issuer} cannot be used now`, { cause });
  }
}

/** The errors of RFC 6749 §4.1.2.1. */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'server_error'
  | 'temporarily_unavailable';

/**
 * An error that the platform gets at its redirect URI. The message is public, in the characters of RFC 6749 §4.1.2.1; `detail`
 * is for the log.
 */
export class AuthorizationRefused extends DomainError {
  constructor(
    readonly code: AuthorizationErrorCode,
    message: string,
    readonly detail: string = message,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}
