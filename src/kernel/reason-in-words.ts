import { DomainError } from './domain-error.js';

/**
 * Reasons by the code that a message names: of the system, of SQLite, of failures on this side. They have no paths and addresses, since
 * readiness is public.
 */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ENOSPC|EDQUOT|SQLITE_FULL/, 'the disk is full: free some space, and it continues'],
  [
    /EMFILE|ENFILE|local_resources/,
    'too few file descriptors or too little memory: raise the limits of the process (ulimit -n, LimitNOFILE)',
  ],
  [/ENOMEM|SQLITE_NOMEM/, 'too little memory'],
  [
    /EROFS|SQLITE_READONLY|SQLITE_CANTOPEN|(EACCES|EPERM): /,
    'the data directory cannot be written: see its owner and its mount',
  ],
  [/EIO\b|SQLITE_IOERR/, 'the disk does not read or write: see the log of the machine'],
  [/is damaged/, 'its data is damaged: see the runbooks'],
  [/locked by another process/, 'another process keeps its file locked'],
  [/ECONNREFUSED/, 'the server refuses connections: is it running?'],
  [/ENOTFOUND|EAI_AGAIN/, 'the name of the server is not resolved'],
  [/local_network|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL/, 'this machine has no route to the network, or no free port'],
  [/ETIMEDOUT|timed out|deadline|does not answer/i, 'the server does not answer in time'],
  [/resolver/, 'no name server answers'],
  [/egress_proxy/, 'the egress proxy opens no tunnel'],
  [/position \d+ of [\w-]+ is after the end of the events, \d+: rebuild it/, '$&'],
  [/failed at position (\d+)/, 'it cannot process the event at position $1; the log says why'],
];

const byCode: Readonly<Record<string, string>> = {
  store_unavailable: 'the store cannot be used now, and is retried',
  store_unusable: 'the store is damaged, newer than this release, or of another service',
  deliveries_lost: 'the deliveries of the queue were lost: choose the position from which it is filled',
  checkpoint_lost: 'the queue has lost its contents: choose where the fan-out begins',
  lease_lost: 'another instance has taken it over',
  key_set_unavailable: 'the keys cannot be fetched',
  identity_provider_unavailable: 'the identity provider cannot be reached',
};

type WithMessage = { code?: string; message: string; cause?: unknown };

/** A reason that an operator can act on; undefined if the error names none. */
export function knownReason(error: unknown): string | undefined {
  for (let each = error, depth = 0; hasMessage(each) && depth < 5; each = each.cause, depth += 1) {
    const { code = '', message } = each;
    for (const [pattern, text] of reasons) {
      const found = pattern.exec(`${code}: ${message}`)?.[0];
      if (found !== undefined) return found.replace(pattern, text);
    }
  }
  return undefined;
}

/** Reason in words, which all may read; the log has the message. */
export function reasonInWords(error: unknown): string {
  const known = knownReason(error);
  if (known !== undefined) return known;
  const code = error instanceof DomainError ? error.code : hasMessage(error) ? error.code : undefined;
  return `${byCode[code ?? ''] ?? 'it has failed, and is retried'}; the log says why`;
}

const hasMessage = (error: unknown): error is WithMessage =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';
