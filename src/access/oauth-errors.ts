import { DomainError } from '../kernel/domain-error.js';

/**
 * A token route refused a request, with a code of RFC 6749 §5.2. The public message is the same for every error of a code,
 * so that it reveals nothing; `detail` gives the reason, for the log.
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

/** A code or refresh token is invalid, used, expired or revoked. The platform asks its user to connect again. */
export class InvalidGrant extends OAuthError {
  readonly code = 'invalid_grant';

  constructor(detail: string, cause?: unknown) {
    super('the code or refresh token is not valid, has expired or has been revoked', detail, cause);
  }
}

/** A parameter is missing, repeated, not a string, empty or too long; the public message names it. */
export class InvalidTokenRequest extends OAuthError {
  readonly code = 'invalid_request';

  constructor(message: string) {
    super(message, message);
  }
}

export class UnsupportedGrantType extends OAuthError {
  readonly code = 'unsupported_grant_type';

  constructor(...supported: readonly [string, ...string[]]) {
    const grantTypes = supported.join(' or ');
    super(`this route supports the grant type ${grantTypes} only`, `expected ${grantTypes}`);
  }
}

/** The client is not registered, or its credentials are missing or wrong. 401, with a challenge (RFC 9110 §15.5.2). */
export class InvalidClient extends OAuthError {
  readonly code = 'invalid_client';

  constructor(detail: string) {
    super('the client credentials are missing or not valid', detail);
  }
}

/** The requested scope exceeds what was granted. */
export class InvalidScope extends OAuthError {
  readonly code = 'invalid_scope';

  constructor(detail: string) {
    super('the requested scope is unknown or exceeds the scope that was granted', detail);
  }
}
