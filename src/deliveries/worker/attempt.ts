import { isExpired } from '../../listeners/agents/agent-subscription.js';
import type { AttemptReport } from '../../queue/delivery-log.js';
import type { AttemptOutcome, LeasedDelivery } from '../../queue/leasing.js';
import { withoutHookUrl } from '../../queue/listener-address.js';
import { askedToWaitUntil, nextAttemptAt } from '../../queue/policy/retry-policy.js';
import { isLocal, isOurs } from '../posting/failure-class.js';
import type { PostResult } from '../posting/post.js';
import type { Transformed } from '../transforms/transformer.js';
import { asOccurrence, isOfAgent, isRefusedForGood, isTooLarge, policyForAgents } from './agent-delivery.js';
import { inAttemptSpan } from './attempt-span.js';
import { type Permit, permitRenewal } from './gates.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { Headers } from './signed-headers.js';
import type { AttemptSettings, WorkerSettings } from './worker-settings.js';

// The way of one attempt, from a leased delivery to its recorded outcome: permit, transform, sign, post, judge.

/** `interrupted`: attempts in flight are aborted. */
export type WorkerState = { stopping: boolean; interrupted: boolean };

/** `seenAt`: when the gate was seen open. `isHeld`: see `LeasedBatch`. Never rejects. */
export type Attempt = (delivery: LeasedDelivery, seenAt: number, isHeld: () => boolean) => Promise<void>;

type Parts = {
  state: Readonly<WorkerState>;
  gone: GoneListeners;
  outage: LocalOutage;
  recorder: OutcomeRecorder;
};

const released: AttemptOutcome = { kind: 'released' };

/** Attempts leased deliveries, and records the outcomes. */
export function attemptWith(settings: WorkerSettings, { state, gone, outage, recorder }: Parts): Attempt {
  const { queue, gates, log, clock, attempts, callbacks } = settings;
  const attemptSettings = { ...attempts, clock, outage };
  const renewPermit = permitRenewal(queue, gates);

  function mayBegin(delivery: LeasedDelivery): boolean {
    if (state.stopping || gone.includes(delivery.listenerId)) return false;
    const hasExpired = isExpired(delivery, new Date(clock()));
    if (hasExpired) gone.remove(delivery);
    return !hasExpired;
  }

  function permitFor({ listenerId }: LeasedDelivery, seenAt: number, isHeld: () => boolean): Permit {
    let openAt = seenAt;
    /** A gone listener's gate stays open until it is removed. */
    const mayPost = () => !state.interrupted && !gone.includes(listenerId) && isHeld();
    return {
      isValid: () => mayPost() && gates.permits(listenerId, openAt),
      async renew() {
        const renewedAt = await renewPermit(listenerId);
        if (renewedAt === undefined) return false;
        openAt = renewedAt;
        return mayPost();
      },
    };
  }

  function concluded(delivery: LeasedDelivery, outcome: AttemptOutcome): AttemptOutcome {
    // An attempt that we interrupted is no failure of the listener, unless it answered 410 before.
    if (state.interrupted && outcome.kind !== 'succeeded' && !isGone(outcome)) return released;
    if (isGone(outcome) && !isOfAgent(delivery)) gone.remove(delivery);
    callbacks.onAttempted?.(delivery, outcome);
    return outcome;
  }

  return async (delivery, seenAt, isHeld) => {
    const { id, listenerId, asRead, subscription } = delivery;
    let outcome = released;
    try {
      if (mayBegin(delivery)) {
        const permit = permitFor(delivery, seenAt, isHeld);
        const attempted = inAttemptSpan(delivery, (traced) => attemptDelivery(traced, permit, attemptSettings));
        outcome = concluded(delivery, await attempted);
      }
    } catch (error) {
      log.error({ err: error, deliveryId: id, listenerId }, 'an attempt could not be made');
    }
    recorder.add({ id, asRead, ...outcome }, subscription.ordered ? { awaitedBy: listenerId } : {});
  };
}

/**
 * Makes one attempt: transforms and signs the body, posts it if the permit still holds, and judges the answer. Rejects with
 * `StoreUnavailable` if the permit has to be renewed and cannot be, before anything is sent.
 */
export async function attemptDelivery(
  delivery: LeasedDelivery,
  permit: Permit,
  settings: AttemptSettings,
): Promise<AttemptOutcome> {
  const startedAt = settings.clock();
  const began = performance.now();
  const timing = () => ({ startedAt, durationMs: Math.round(performance.now() - began) });

  const made = await transformed(delivery, settings);
  if (made.kind === 'busy') return released;
  if (made.kind === 'failed') return notTransformed(made.reason, timing());
  const ready = asOccurrence(made.body === delivery.body ? delivery : { ...delivery, body: made.body });
  if (isOfAgent(ready) && isTooLarge(ready)) return notTransformed('it is too large for an agent', timing());

  const headers = settings.headersOf(ready, startedAt);
  const result = headers ? await postUnderPermit(ready, permit, headers, settings) : notSigned;
  if (result.kind === 'withheld') return released;

  const failure = reportToOutage(delivery, result, began, settings);
  if (failure !== undefined) return { kind: 'released', failure };
  return outcomeOf(delivery, result, timing(), settings);
}

async function transformed(
  { orgId, listenerId, body, subscription }: LeasedDelivery,
  { transform }: AttemptSettings,
): Promise<Transformed> {
  if (subscription.transform === null) return { kind: 'done', body };
  return transform({ orgId, owner: listenerId, expression: subscription.transform, body });
}

/** A repeat would fail again, so the delivery is a dead letter at once. */
const notTransformed = (reason: string, timing: Timing): AttemptOutcome => ({
  kind: 'exhausted',
  report: { ...timing, error: 'transform', answer: reason },
  byListener: false,
});

/** If reading the gate takes longer than a permit lasts, more attempts only make it slower. */
const maxRenewals = 5;

/** `withheld` if the gate has closed. */
async function postUnderPermit(
  { hookUrl, body, attempt, recordedAt }: LeasedDelivery,
  permit: Permit,
  headers: Headers,
  { post, deadlineMs }: AttemptSettings,
): Promise<PostResult> {
  const deadline = performance.now() + deadlineMs;
  const withHeaders = attempt > 1 || recordedAt === undefined; // of a retry or a test: these are few, and are looked at
  for (let renewals = 0; ; renewals += 1) {
    const timeoutMs = Math.max(1, deadline - performance.now());
    const result = await post({ url: hookUrl, headers, body, mayStart: permit.isValid, timeoutMs, withHeaders });
    if (result.kind !== 'withheld' || renewals === maxRenewals || !(await permit.renew())) return result;
  }
}

type NotSigned = Omit<Extract<PostResult, { kind: 'failed' }>, 'error'> & { error: 'not_signed' };
type Attempted = Exclude<PostResult, { kind: 'withheld' }> | NotSigned;
type Timing = Pick<AttemptReport, 'startedAt' | 'durationMs'>;

/** The key is not here. That can be repaired, so the schedule continues. */
const notSigned: NotSigned = { kind: 'failed', error: 'not_signed' };

/** Reports to the detector of outages whether the host was reached. Returns the failure if it is on our side and uses up no attempt. */
function reportToOutage(
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

function outcomeOf(
  delivery: LeasedDelivery,
  result: Attempted,
  timing: Timing,
  { clock, retryPolicy }: AttemptSettings,
): AttemptOutcome {
  const report = reportOf(delivery, result, timing);
  const { status, error } = report;
  if (error === undefined) return { kind: 'succeeded', report, latencyMs: latencyOf(delivery, timing) };
  const now = clock();
  const policy = isOfAgent(delivery) ? policyForAgents(retryPolicy) : retryPolicy;
  const notBefore = askedToWaitUntil({ now, status, retryAfter: result.retryAfter }, policy);
  const byListener = result.kind === 'answered' || !isOurs(result.error);
  const failure = { report, byListener, ...(notBefore !== undefined && { notBefore }) };
  const { attempt } = delivery;
  const isLast = status === goneStatus || (isOfAgent(delivery) && isRefusedForGood(status));
  const retryAt = isLast ? undefined : nextAttemptAt({ attempt, now, notBefore }, policy);
  return retryAt === undefined ? { kind: 'exhausted', ...failure } : { kind: 'failed', retryAt, ...failure };
}

const goneStatus = 410;

/** The received status counts, though the rest of the answer may have been lost. */
const isGone = (outcome: AttemptOutcome): boolean =>
  outcome.kind === 'exhausted' && outcome.report.status === goneStatus;

/** Excludes delays by failing listeners and replays, and times of a clock that is ahead. */
const latencyOf = (
  { attempt, replay, recordedAt }: LeasedDelivery,
  { startedAt, durationMs }: Timing,
): number | undefined =>
  attempt > 1 || replay !== undefined || recordedAt === undefined
    ? undefined
    : Math.max(0, startedAt + durationMs - recordedAt);

function reportOf({ hookUrl }: LeasedDelivery, result: Attempted, timing: Timing): AttemptReport {
  const { status, answer, headers, address } = result;
  return {
    ...timing,
    status,
    error: errorOf(result),
    answer: answer && withoutHookUrl(answer, hookUrl),
    headers: headers && withoutHookUrl(headers, hookUrl),
    address,
  };
}

function errorOf(result: Attempted): string | undefined {
  if (result.kind === 'failed') return result.error;
  return result.status >= 200 && result.status < 300 ? undefined : 'http_status';
}
