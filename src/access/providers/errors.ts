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

/** The account is not accepted; the user may choose another one. The message continues "You are signed in as Ada, but". */
export class AccountRefused extends AuthorizationRefused {
  /** Of the account. */
  readonly displayName: string;

  constructor(message: string, { displayName, detail }: { readonly displayName: string; readonly detail?: string }) {
    super('access_denied', message, detail);
    this.displayName = displayName;
  }
}
