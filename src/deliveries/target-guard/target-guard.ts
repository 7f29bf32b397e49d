import { buildConnector } from 'undici';
import { throughProxy } from '../../kernel/egress/egress-proxy.js';
import { type JudgeOptions, type TargetJudge, type TargetPolicy, targetJudge } from './target-judge.js';

export type TargetGuard = Pick<TargetJudge, 'check' | 'namesResolvedAt'> & {
  /**
   * Connects to the addresses that it has judged and to no others, but for names that a proxy resolves. Fails with
   * `TargetNotAllowed` and `EgressProxyFailed`.
   */
  connect: buildConnector.connector;
};

export type GuardOptions = JudgeOptions & {
  /** PEM, instead of the authorities that Node trusts. */
  trustedAuthorities?: string;
  /** Limit for a connection, all included. */
  connectTimeoutMs?: number;
};

/** Keeps deliveries away from where they must not go: at subscribe, and again at every connection, on the very addresses. */
export function targetGuard(
  policy: TargetPolicy,
  { connectTimeoutMs = 5_000, trustedAuthorities, ...options }: GuardOptions = {},
): TargetGuard {
  const { check, namesResolvedAt, judgeUrl, lookup } = targetJudge(policy, options);
  // `LookupFunction` is what net.connect takes; undici's types name the TLS options only.
  const direct = buildConnector({
    timeout: connectTimeoutMs,
    lookup,
    allowH2: false,
    ca: trustedAuthorities,
  });
  const { egress } = policy;
  const connector = egress ? throughProxy(egress, { connect: direct, lookup, timeoutMs: connectTimeoutMs }) : direct;

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
