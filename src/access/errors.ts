import { DomainError } from '../kernel/domain-error.js';

/**
 * An error code of RFC 6749 §5.2. The public message is the same for every error of a code, so that it reveals nothing;
 * `detail` is for the log.
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

/** A code or refresh token is invalid, used, expired or revoked. */
export class InvalidGrant extends OAuthError {
  readonly code = 'invalid_grant';

  constructor(detail: string, cause?: unknown) {
    super('the code or refresh token is not valid, has expired or has been revoked', detail, cause);
  }
}

/** The public message names the parameter. */
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

/** 401, with a challenge (RFC 9110 §15.5.2). */
export class InvalidClient extends OAuthError {
  readonly code = 'invalid_client';

  constructor(detail: string) {
    super('the client credentials are missing or not valid', detail);
  }
}

export class InvalidScope extends OAuthError {
  readonly code = 'invalid_scope';

  constructor(detail: string) {
    super('the requested scope is unknown or exceeds the scope that was granted', detail);
  }
}

/** RFC 8707 §2. */
export class InvalidTarget extends OAuthError {
  readonly code = 'invalid_target';

  constructor() {
    super('the resource is unknown, or not the one of the sign-in', 'resource refused');
  }
}

export class ClientNotFound extends DomainError {
  readonly code = 'client_not_found';

  constructor(clientId: string) {
    super(`no client with the ID '${clientId}' is registered`);
  }
}

export class ClientExists extends DomainError {
  readonly code = 'client_exists';

  constructor(clientId: string) {
    super(`a client with the ID '${clientId}' is registered already`);
  }
}

export class TooManyClients extends DomainError {
  readonly code = 'too_many_clients';

  constructor(max: number) {
    super(`${max} clients are registered, the maximum: remove one first`);
  }
}

export class ClientSecretsOverlap extends DomainError {
  readonly code = 'secrets_overlap';

  constructor(until: string | null) {
    super(
      `the previous secret is valid ${until === null ? 'too' : `until ${until}`}: end it first, or rotate with an overlap of ` +
        '0 hours, which ends all earlier secrets',
    );
  }
}

/** The object was never created, or was erased with its organisation. */
export class ApiKeyNotFound extends DomainError {
  readonly code = 'api_key_not_found';

  constructor(apiKeyId: string) {
    super(`there is no API key with the ID ${apiKeyId}`);
  }
}

export class ConsentNotFound extends DomainError {
  readonly code = 'consent_not_found';

  constructor(consentId: string) {
    super(`there is no consent with the ID ${consentId}`);
  }
}

export class SessionNotFound extends DomainError {
  readonly code = 'session_not_found';

  constructor(sessionId: string) {
    super(`there is no session ${sessionId}`);
  }
}

/** Refused without a redirect: the client or redirect URI is not registered, or the sign-in has ended. */
export class SignInRefused extends DomainError {
  readonly code = 'invalid_request';
}

/** Not a client: its metadata document says something else, or is none. */
export class ClientDocumentInvalid extends SignInRefused {
  constructor(
    clientId: string,
    readonly detail: string,
  ) {
    super(`the document of the client ${clientId} cannot be accepted: ${detail}`);
  }
}

/** A retry may succeed. */
export class ClientDocumentUnavailable extends SignInRefused {
  constructor(clientId: string, cause: unknown) {
    super(`the document of the client ${clientId} cannot be fetched now`, { cause });
  }
}

/** A retry may succeed. */
export class ProviderUnavailable extends DomainError {
  readonly code = 'identity_provider_unavailable';

  constructor(issuer: string, cause: unknown) {
    super(`the identity provider ${issuer} cannot be used now`, { cause });
  }
}

/** RFC 6749 §4.1.2.1. */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'server_error'
  | 'temporarily_unavailable';

/**
 * Error sent to the redirect URI. The message is public, in the characters of RFC 6749 §4.1.2.1; `detail` is for the
 * log.
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

/** The user may choose another account. The message continues "You are signed in as Ada, but". */
export class AccountRefused extends AuthorizationRefused {
  readonly displayName: string;

  constructor(message: string, { displayName, detail }: { displayName: string; detail?: string }) {
    super('access_denied', message, detail);
    this.displayName = displayName;
  }
}

/** The message names the key and the reason, and never contains key material. */
export class UnusableKeys extends DomainError {
  readonly code = 'unusable_keys';
}

/** The keys of an issuer cannot be fetched now. A retry may succeed. */
export class KeySetUnavailable extends DomainError {
  readonly code = 'key_set_unavailable';

  constructor(source: string, cause: unknown) {
    super(`the key set at ${source} cannot be fetched`, { cause });
  }
}

/** The instance's keys differ from the recorded ones: its tokens and secrets would be invalid elsewhere. */
export class KeysDiffer extends DomainError {
  readonly code = 'keys_differ';
}

/** The master key named by an event is not configured on this instance. */
export class UnknownKeyGeneration extends DomainError {
  readonly code = 'unknown_key_generation';

  constructor(readonly generation: string) {
    super(`no master key of generation ${generation} is configured`);
  }
}
