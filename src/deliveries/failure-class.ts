import { errors } from 'undici';
import { TargetNotAllowed } from './target-not-allowed.js';

/** What went wrong with a request, as the delivery log names it. */
export type FailureClass =
  | 'connect_timeout'
  | 'refused'
  | 'unreachable'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'network'
  | 'target_not_allowed';

const byCode: readonly (readonly [RegExp, FailureClass])[] = [
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns'],
  // OpenSSL's names for what is wrong with a certificate, as Node passes them on.
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)/, 'protocol'],
];

export function failureClass(error: unknown): FailureClass {
  if (error instanceof TargetNotAllowed) return 'target_not_allowed';
  if (error instanceof errors.HTTPParserError) return 'protocol';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return byCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'network';
}
