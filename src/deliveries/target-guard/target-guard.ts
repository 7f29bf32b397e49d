import { buildConnector } from 'undici';
import { type JudgeOptions, type TargetJudge, type TargetPolicy, targetJudge } from './target-judge.js';

export type TargetGuard = Pick<TargetJudge, 'check' | 'namesResolvedAt'> & {
  /** Connects to the addresses that it has judged and to no others. Fails with `TargetNotAllowed`. */
  readonly connect: buildConnector.connector;
};

export type GuardOptions = JudgeOptions & {
  /** PEM, instead of the authorities that Node trusts. */
  readonly trustedAuthorities?: string;
  /** For a connection, all included. */
  readonly connectTimeoutMs?: number;
};

/** Keeps deliveries away from where they must not go: at subscribe, and again at every connection, on the very addresses. */
export function targetGuard(
  policy: TargetPolicy,
  { connectTimeoutMs = 5_000, trustedAuthorities, ...options }: GuardOptions = {},
): TargetGuard {
  const { check, namesResolvedAt, judgeUrl, lookup } = targetJudge(policy, options);
  // `LookupFunction` is what net.connect takes; undici's types name the TLS options only.
  const connector = buildConnector({
    timeout: connectTimeoutMs,
    lookup,
    allowH2: false,
    ...(trustedAuthorities !== undefined && { ca: trustedAuthorities }),
  });

  return {
    check,
    namesResolvedAt,
    connect(options, callback) {
      try {
        judgeUrl(new URL(`${options.protocol}//${options.host ?? options.hostname}`));
        connector(options, callback);
      } catch (error) {
        callback(error instanceof Error ? error : new Error(String(error)), null);
      }
    },
  };
}
