import { withoutHookUrl } from '../listener-address.js';
import { isLocal, isOurs } from '../posting/failure-class.js';
import type { Post, PostResult } from '../posting/post.js';
import type { AttemptReport } from '../queue/delivery-log.js';
import type { LeasedDelivery, Outcome } from '../queue/leasing.js';
import { askedToWaitUntil, nextAttemptAt, type RetryPolicy } from '../queue/policy/retry-policy.js';
import type { Transformed, Transformer } from '../transforms/transformer.js';
import type { Permits } from './gates.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { Headers, HeadersOf } from './signed-headers.js';

export type AttemptSettings = {
  permits: Permits;
  outage: Pick<LocalOutage, 'failed' | 'reached'>;
  post: Post;
  transform: Transformer['transform'];
  headersOf: HeadersOf;
  retryPolicy: RetryPolicy;
  deadlineMs: number;
  clock: () => number;
};

/** `gone`: the listener answered 410. */
export type AttemptResult = { outcome: Outcome; gone: boolean };

/**
 * Makes one attempt at a delivery whose gate was seen open at `seenAt`. Rejects with `StoreUnavailable` if the gate has
 * to be read again and cannot be, before anything is sent.
 */
export async function attemptDelivery(
  delivery: LeasedDelivery,
  seenAt: number,
  settings: AttemptSettings,
): Promise<AttemptResult> {
  const { clock } = settings;
  const { id, lease } = delivery;
  const startedAt = clock();
  const began = performance.now();
  const { transform } = delivery.subscription;
  const made = transform === null ? undefined : await transformed(delivery, transform, settings);
  if (made?.kind === 'busy') return { outcome: { id, lease, kind: 'released' }, gone: false };
  if (made?.kind === 'failed') {
    const durationMs = Math.round(performance.now() - began);
    const report = { startedAt, durationMs, error: 'transform', answer: made.reason };
    return { outcome: { kind: 'exhausted', id, lease, report, byListener: false }, gone: false };
  }
  const ready = made ? { ...delivery, body: made.body } : delivery;
  const headers = settings.headersOf(ready, startedAt);
  const result = headers ? await postUnderPermit(ready, seenAt, headers, settings) : notSigned;
  if (result.kind === 'withheld') return { outcome: { id, lease, kind: 'released' }, gone: false };
  const failure = localFailure(delivery, result, began, settings);
  if (failure !== undefined) return { outcome: { id, lease, kind: 'released', failure }, gone: false };

  const report = reportOf(delivery, result, { startedAt, durationMs: Math.round(performance.now() - began) });
  if (report.error === undefined) {
    return { outcome: { id, lease, kind: 'succeeded', report, latencyMs: latencyOf(delivery, report) }, gone: false };
  }
  return failed(delivery, report, result, settings);
}

/** A repeat of a failed transformation would fail again, so the delivery is a dead letter at once. */
const transformed = (
  { orgId, listenerId, body }: LeasedDelivery,
  expression: string,
  { transform }: AttemptSettings,
): Promise<Transformed> => transform({ orgId, owner: listenerId, expression, body });

/** The failure if it is on our side and uses up no attempt. */
function localFailure(
  delivery: LeasedDelivery,
  result: Attempted,
  began: number,
  { outage }: AttemptSettings,
): string | undefined {
  if (result.kind === 'failed' && result.status === undefined) {
    const { error } = result;
    if (isLocal(error)) return outage.failed(delivery, error, began) ? error : undefined;
    if (error === 'not_signed' || error === 'target_not_allowed') return undefined; // nothing was sent
    outage.reached(delivery, { answered: error !== 'timeout' && error !== 'connect_timeout' });
  } else outage.reached(delivery, { answered: true });
  return undefined;
}

function failed(
  { id, lease, attempt }: LeasedDelivery,
  report: AttemptReport,
  result: Attempted,
  { clock, retryPolicy }: AttemptSettings,
): AttemptResult {
  const { status } = report;
  const now = clock();
  // The received status counts, though the rest of the answer may have been lost.
  const gone = status === 410;
  const notBefore = askedToWaitUntil({ now, status, retryAfter: result.retryAfter }, retryPolicy);
  const retryAt = gone ? undefined : nextAttemptAt({ attempt, now, notBefore }, retryPolicy);
  const byListener = result.kind === 'answered' || !isOurs(result.error);
  const failure = { id, lease, report, byListener, ...(notBefore !== undefined && { notBefore }) };
  if (retryAt === undefined) return { outcome: { kind: 'exhausted', ...failure }, gone };
  return { outcome: { kind: 'failed', retryAt, ...failure }, gone };
}

/** Excludes delays by failing listeners and replays, and times of a clock that is ahead. */
const latencyOf = (
  { attempt, replay, recordedAt }: LeasedDelivery,
  { startedAt, durationMs }: AttemptReport,
): number | undefined =>
  attempt > 1 || replay !== undefined || recordedAt === undefined
    ? undefined
    : Math.max(0, startedAt + durationMs - recordedAt);

type Attempted = Exclude<PostResult, { kind: 'withheld' }> | NotSigned;

function reportOf(
  { hookUrl }: LeasedDelivery,
  result: Attempted,
  { startedAt, durationMs }: Pick<AttemptReport, 'startedAt' | 'durationMs'>,
): AttemptReport {
  const { status, answer, headers, address } = result;
  const error = errorOf(result);
  return {
    startedAt,
    durationMs,
    status,
    error,
    answer: answer && withoutHookUrl(answer, hookUrl),
    headers: headers && withoutHookUrl(headers, hookUrl),
    address,
  };
}

/** The key is not here. That can be repaired, so the schedule goes on. */
const notSigned: NotSigned = { kind: 'failed', error: 'not_signed' };
type NotSigned = Omit<Extract<PostResult, { kind: 'failed' }>, 'error'> & { error: 'not_signed' };

/** If reading the gate takes longer than a permit lasts, more attempts only make it slower. */
const maxRenewals = 5;

/** `withheld` if the gate has closed; an expired permit is renewed. */
async function postUnderPermit(
  { listenerId, hookUrl, body, attempt, recordedAt }: LeasedDelivery,
  seenAt: number,
  headers: Headers,
  { permits, post, deadlineMs }: AttemptSettings,
): Promise<PostResult> {
  const began = performance.now();
  const withHeaders = attempt > 1 || recordedAt === undefined; // of a retry or a test: few, and somebody looks at these
  let permit = seenAt;
  for (let renewals = 0; ; renewals += 1) {
    const current = permit;
    const mayStart = () => permits.permits(listenerId, current);
    const timeoutMs = Math.max(1, deadlineMs - (performance.now() - began));
    const result = await post({ url: hookUrl, headers, body, mayStart, timeoutMs, withHeaders });
    if (result.kind !== 'withheld' || renewals === maxRenewals) return result;
    const renewed = await permits.renew(listenerId);
    if (renewed === undefined) return result;
    permit = renewed;
  }
}

function errorOf(result: Attempted): string | undefined {
  if (result.kind === 'failed') return result.error;
  return result.status >= 200 && result.status < 300 ? undefined : 'http_status';
}
