import { DomainError } from '../kernel/domain-error.js';

/**
 * A request that a token route refuses, by the codes of RFC 6749 §5.2. The message is public and always the same for a
 * code, so that it gives nothing away; `detail` says what it was, for the log.
 */
export abstract class OAuthError extends DomainError {
  constructor(
    message: string,
    readonly detail: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** A code or refresh token that is wrong, used up, expired or revoked. The platform asks its user to connect again. */
export class InvalidGrant extends OAuthError {
  readonly code = 'invalid_grant';

  constructor(detail: string, cause?: unknown) {
    super('the code or refresh token is not valid, has expired or has been revoked', detail, cause);
  }
}

/** A parameter is missing, repeated, not a string, empty or too long: here the message may say which. */
export class InvalidTokenRequest extends OAuthError {
  readonly code = 'invalid_request';

  constructor(message: string) {
    super(message, message);
  }
}

export class UnsupportedGrantType extends OAuthError {
  readonly code = 'unsupported_grant_type';

  constructor(supported: string) {
    super(`this route supports the grant type ${supported} only`, `expected ${supported}`);
  }
}
