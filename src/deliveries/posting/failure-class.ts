import { errors } from 'undici';
import { TargetNotAllowed } from '../target-guard/target-judge.js';

/** Failure class of a request in the delivery log. */
export const failureClasses = [
  'connect_timeout',
  'refused',
  'unreachable',
  /** The name is not known. */
  'dns',
  /** No name server answered in time, or it could not find out. */
  'resolver',
  /** No way out of this machine: no route or no port. */
  'local_network',
  /** No file descriptor, buffer or memory left in this machine or process. */
  'local_resources',
  /** The proxy of `EGRESS_PROXY` opened no tunnel. */
  'egress_proxy',
  'tls',
  'reset',
  'protocol',
  'network',
  'target_not_allowed',
] as const;
export type FailureClass = (typeof failureClasses)[number];

const byCode: readonly (readonly [RegExp, FailureClass])[] = [
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, 'connect_timeout'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^EHOSTUNREACH$/, 'unreachable'],
  [/^(ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, 'local_network'],
  [/^(EMFILE|ENFILE|ENOBUFS|ENOMEM)$/, 'local_resources'],
  [/^EGRESS_PROXY$/, 'egress_proxy'],
  [/^(ENOTFOUND|ENODATA|EAI_NONAME|EAI_NODATA)$/, 'dns'],
  [/^EAI_\w+$/, 'resolver'],
  // OpenSSL's names for what is wrong with a certificate, as Node passes them on.
  [/^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_)/, 'tls'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset'],
  [/^(HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_RES_EXCEEDED_MAX_SIZE)/, 'protocol'],
];

/** Failures of our own network, resolver or resources, which may affect all listeners alike. */
export const localFailures = [
  'resolver',
  'local_network',
  'local_resources',
  'egress_proxy',
] as const satisfies FailureClass[];
export type LocalFailure = (typeof localFailures)[number];

export const isLocal = (failure: string): failure is LocalFailure => localFailures.some((each) => each === failure);

/** True for failures of our own network, resolver, resources or keys, not of the listener. */
export const isOurs = (failure: string): boolean => isLocal(failure) || failure === 'not_signed';

export function failureClass(error: unknown): FailureClass {
  if (error instanceof TargetNotAllowed) return 'target_not_allowed';
  if (error instanceof errors.HTTPParserError) return 'protocol';
  if (error instanceof AggregateError) return classOfSeveral(error.errors);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return byCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'network';
}

/** Chooses the class of an address that answered in some way over one without a route. */
function classOfSeveral(failures: readonly unknown[]): FailureClass {
  const classes = failures.map(failureClass);
  return classes.find((each) => !isOurs(each)) ?? classes[0] ?? 'network';
}

/** The address that could not be connected to, where the failure names one. */
export function addressIn(error: unknown): string | undefined {
  if (error instanceof AggregateError) return error.errors.map(addressIn).find((address) => address !== undefined);
  return error instanceof Error && 'address' in error && typeof error.address === 'string' ? error.address : undefined;
}
