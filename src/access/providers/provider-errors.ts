import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { type AuthorizationErrorCode, AuthorizationRefused } from '../errors.js';

/** The provider's errors that concern the user, mapped to the platform's; others are about our own request. */
const passedOn: Readonly<Record<string, AuthorizationErrorCode>> = {
  access_denied: 'access_denied',
  temporarily_unavailable: 'temporarily_unavailable',
  // OpenID Connect Core §3.1.2.6: caused by `prompt`.
  login_required: 'access_denied',
  consent_required: 'access_denied',
  interaction_required: 'access_denied',
  account_selection_required: 'access_denied',
};

const publicMessages: Readonly<Partial<Record<AuthorizationErrorCode, string>>> = {
  access_denied: 'the identity provider refused the sign-in',
  temporarily_unavailable: 'the identity provider is temporarily unavailable',
};

/** Undefined if the provider could not be reached or has failed. */
export function refusalOf(error: unknown): AuthorizationRefused | undefined {
  if (error instanceof AuthorizationRefused) return error;
  if (error instanceof AuthorizationResponseError) {
    const code = passedOn[error.error] ?? 'server_error';
    const detail = `the provider answered ${error.error}: ${error.error_description ?? 'without a description'}`;
    return new AuthorizationRefused(code, publicMessages[code] ?? notValid, detail);
  }
  if (isUnavailable(error)) return undefined;
  return new AuthorizationRefused('server_error', notValid, reasonOf(error), error);
}

const notValid = 'the answer of the identity provider could not be verified';

const isFailure = (status: number): boolean => status >= 500 || status === 429;

function isUnavailable(error: unknown): boolean {
  if (error instanceof TypeError) return true; // no answer: see `discoveryMemory`
  if (error instanceof ResponseBodyError) return isFailure(error.status);
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'OAUTH_TIMEOUT') return true;
  return error.cause instanceof Response && isFailure(error.cause.status);
}

/** Reason for the log; OAuth errors tell operators the cause, such as a wrong client secret. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError) return `${error.error}: ${error.error_description ?? error.message}`;
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
