import type { AttemptReport, DeliveryRecord } from '../../queue/delivery-log.js';
import type { ListenerState } from '../../queue/listener-log.js';
import { type AttemptWaitsFor, attemptWaitOf, type WaitsFor, waitOf } from '../../queue/waits.js';
import type { ListenerAt, Moment } from './listener-at.js';

export type DeliveryOutcome = 'delivered' | 'waiting' | 'held' | 'refused' | 'dead-letter' | 'cancelled';

export type ExplainedDelivery = {
  id: string;
  /** The replay that it belongs to. */
  replay: string | undefined;
  /** Once an attempt has succeeded it is delivered, whatever comes of redelivering it. */
  outcome: DeliveryOutcome;
  /** A sentence for people. */
  because: string;
  waitsFor: WaitsFor | undefined;
  /** Earliest end of the wait, milliseconds since 1970. */
  until: number | undefined;
  attempts: readonly AttemptReport[];
};

export type DeliveryFacts = {
  record: DeliveryRecord;
  attempts: readonly AttemptReport[];
  details: ListenerAt;
  /** Undefined where the queue does not know the listener. */
  listener: ListenerState | undefined;
  now: number;
};

/** Outcome of a delivery, with the reason. */
export function explainDelivery(facts: DeliveryFacts): ExplainedDelivery {
  const { id, replay } = facts.record;
  const { attempts } = facts;
  const explanation = explainAttempts(facts);
  const { waitsFor, until } = waitOf(facts.record, facts.listener, facts.now) ?? {};
  return { id, replay, waitsFor, until, attempts, ...explanation };
}

type Explanation = Pick<ExplainedDelivery, 'outcome' | 'because'> & Partial<ExplainedDelivery>;

/** Explains the state, or a success before a redelivery, which only the attempts show. */
function explainAttempts(facts: DeliveryFacts): Explanation {
  const { record, attempts } = facts;
  const index = attempts.findIndex(isSuccess);
  const success = attempts[index];
  const isLast = record.state === 'succeeded' && index === attempts.length - 1;
  if (!success || isLast) return explanations[record.state](facts);
  const number = record.attempts - attempts.length + index + 1; // the log may have lost the first ones
  const { because, ...redelivery } = explanations[record.state](facts);
  return {
    ...redelivery,
    outcome: 'delivered',
    because: `${answered(success.status, success.startedAt, number)}; it has been redelivered since: ${because}`,
  };
}

const explanations: Readonly<Record<DeliveryRecord['state'], (facts: DeliveryFacts) => Explanation>> = {
  succeeded: ({ record: { attempts, lastAttemptAt, lastStatus } }) => ({
    outcome: 'delivered',
    because: answered(lastStatus, lastAttemptAt, attempts),
  }),
  waiting: explainWaiting,
  held: ({ details: { pausedNow } }) => ({
    outcome: 'held',
    because: pausedNow
      ? `the listener is paused, since ${pausedNow.at}${by(pausedNow.by)}: it is kept until it is redelivered`
      : 'the listener was paused; it has been resumed, and it is kept until it is redelivered',
  }),
  exhausted: ({ record, attempts, details }) => ({
    outcome: isRefused(record) ? 'refused' : 'dead-letter',
    because: `given up after ${attemptsOf(record)}${lastFailure(record)}${transformFailure(record, attempts)}: ${whetherRedelivered(details)}`,
  }),
  cancelled: (facts) => ({
    outcome: 'cancelled',
    because: `${cancellation(facts)} before ${hasNeverSucceeded(facts) ? 'it' : 'another attempt'} succeeded`,
  }),
};

function cancellation({ record: { replay }, details: { removed } }: DeliveryFacts): string {
  if (removed) return removal(removed);
  return replay ? 'its replay was cancelled' : 'it was withdrawn';
}

function whetherRedelivered({ removed, pausedNow }: ListenerAt): string {
  if (removed) return removal(removed);
  return pausedNow ? 'it can be redelivered once the listener is resumed' : 'it can be redelivered';
}

const removal = (removed: Moment): string =>
  `the listener was removed at ${removed.at}${by(removed.by)}${removed.reason ? ` (${removed.reason})` : ''}`;

function explainWaiting({ record, listener, now }: DeliveryFacts): Explanation {
  const { attempts, dueAt = now } = record;
  const { waitsFor, until } = attemptWaitOf(record, listener, now);
  const due = dueAt <= now ? `it is due since ${iso(dueAt)}: ` : '';
  const what = until === undefined ? `${due}${reasons[waitsFor]}` : `${reasons[waitsFor]}, until ${iso(until)}`;
  const before = attempts === 0 ? '' : `, after ${attemptsOf(record)}${lastFailure(record)}`;
  return { outcome: attempts > 0 && isRefused(record) ? 'refused' : 'waiting', because: `${what}${before}` };
}

const reasons: Readonly<Record<AttemptWaitsFor, string>> = {
  schedule: 'its next attempt is scheduled',
  'retry-after': 'the listener asked for a pause (Retry-After)',
  breaker: 'recent attempts at the listener failed, and its circuit breaker is open',
  rate: 'the listener is at its rate limit',
  order: 'an earlier delivery of this ordered listener has not ended',
  'a worker':
    'it is queued, an attempt is in progress, or attempts fail on the side of this service (see /readyz and the log)',
};

const isSuccess = ({ error }: AttemptReport): boolean => error === undefined;

/** Unknown for a delivery whose first attempts the log no longer holds. */
const hasNeverSucceeded = ({ record, attempts }: DeliveryFacts): boolean =>
  attempts.length === record.attempts && !attempts.some(isSuccess);

const isRefused = ({ lastError }: DeliveryRecord): boolean => lastError === 'target_not_allowed';

const answered = (status: number | undefined, when: number | undefined, attempt: number): string =>
  `the listener answered ${status ?? 'with success'}${at(when)}, at attempt ${attempt}`;

const attemptsOf = ({ attempts }: DeliveryRecord): string => (attempts === 1 ? '1 attempt' : `${attempts} attempts`);

/** The reason is in the place of an answer: nothing was sent. */
const transformFailure = ({ lastError }: DeliveryRecord, attempts: readonly AttemptReport[]): string =>
  lastError === 'transform' ? ` (${attempts.at(-1)?.answer ?? 'its reason is forgotten'})` : '';

function lastFailure(record: DeliveryRecord): string {
  if (isRefused(record)) return ', the last refused by the target guard: the address is not allowed';
  if (record.lastError === 'transform') return ', the last because the transformation of the listener failed';
  if (record.lastStatus !== undefined) return `, the last answered ${record.lastStatus}`;
  return record.lastError === undefined ? '' : `, the last failed with ${record.lastError}`;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const at = (ms: number | undefined): string => (ms === undefined ? '' : ` at ${iso(ms)}`);
const by = (actor: string | null): string => (actor === null ? '' : ` by ${actor}`);
