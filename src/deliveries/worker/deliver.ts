import { type Attributes, type Span, SpanKind } from '@opentelemetry/api';
import { contextOf, endSpan, markFailed, startSpan, traceparentFor } from '../../kernel/tracing/span.js';
import { addressOf } from '../listener-address.js';
import type { LeasedDelivery, Outcome } from '../queue/leasing.js';
import { type AttemptResult, type AttemptSettings, attemptDelivery } from './attempt.js';
import type { DeliveryLease } from './attempts-in-flight.js';
import { type Permits, permitRenewal } from './gates.js';
import type { GoneListeners } from './gone-listeners.js';
import type { LocalOutage } from './outage/local-outage.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { SaturatedHosts } from './saturated-hosts.js';
import type { WorkerSettings } from './worker-settings.js';

/** `interrupted`: attempts in flight are aborted. */
export type WorkerState = { stopping: boolean; interrupted: boolean };

/** `seenAt`: when the gate was seen open. Never rejects. */
export type Deliver = (delivery: LeasedDelivery, seenAt: number, lease: DeliveryLease) => Promise<void>;

export function deliverWith(
  settings: WorkerSettings,
  {
    state,
    hosts,
    gone,
    outage,
    recorder,
  }: {
    state: Readonly<WorkerState>;
    hosts: SaturatedHosts;
    gone: GoneListeners;
    outage: LocalOutage;
    recorder: OutcomeRecorder;
  },
): Deliver {
  const { queue, gates, log, clock, attempts, callbacks } = settings;
  const renewPermit = permitRenewal(queue, gates);
  /** A gone listener's gate stays open until it is removed. */
  const mayPost = (listenerId: string): boolean => !state.interrupted && !gone.includes(listenerId);
  const attemptSettings = { ...attempts, clock, outage };
  const permitsUnder = (lease: DeliveryLease): Permits => {
    const mayStart = (listenerId: string) => mayPost(listenerId) && isHeld(lease);
    return {
      permits: (listenerId, at) => mayStart(listenerId) && gates.permits(listenerId, at),
      async renew(listenerId) {
        const permit = await renewPermit(listenerId);
        return mayStart(listenerId) ? permit : undefined;
      },
    };
  };

  return async (delivery, seenAt, lease) => {
    const { id, listenerId, subscription } = delivery;
    const record = (outcome: Outcome) =>
      recorder.add({ ...outcome, lease: lease.token }, lease.expiresAt, { awaited: subscription.ordered });
    const release = () => record({ id, lease: lease.token, kind: 'released' });
    if (state.stopping || gone.includes(listenerId)) return release();
    try {
      const giveBack = await hosts.acquire(delivery);
      if (!giveBack) {
        hosts.skip(delivery);
        return release();
      }
      if (!mayPost(listenerId)) {
        giveBack();
        return release();
      }
      const { outcome, gone: isGone } = await attemptWithSpan(delivery, seenAt, {
        ...attemptSettings,
        permits: permitsUnder(lease),
      }).finally(giveBack);
      // An attempt that we interrupted is no failure of the listener, unless it answered 410 before.
      if (state.interrupted && outcome.kind !== 'succeeded' && !isGone) return release();
      if (isGone) gone.remove(delivery);
      callbacks.onAttempted?.(delivery, outcome);
      record(outcome);
    } catch (error) {
      log.error({ err: error, deliveryId: id, listenerId }, 'an attempt could not be made');
      release();
    }
  };
}

const isHeld = ({ expiresAt, isHeld = () => true }: DeliveryLease): boolean =>
  performance.now() < expiresAt && isHeld();

/** A client span in the trace of the flow event, by OpenTelemetry's conventions for HTTP. */
export function attemptWithSpan(
  delivery: LeasedDelivery,
  seenAt: number,
  settings: AttemptSettings,
): Promise<AttemptResult> {
  const span = startSpan('POST', contextOf(delivery.traceparent), () => ({
    kind: SpanKind.CLIENT,
    attributes: attributesOf(delivery),
  }));
  if (!span) return attemptDelivery(delivery, seenAt, settings);
  return attemptAndEnd(span, delivery, seenAt, settings);
}

async function attemptAndEnd(
  span: Span,
  delivery: LeasedDelivery,
  seenAt: number,
  settings: AttemptSettings,
): Promise<AttemptResult> {
  const traceparent = traceparentFor(span, delivery.traceparent);
  try {
    const result = await attemptDelivery({ ...delivery, traceparent }, seenAt, settings);
    describeOutcome(span, result.outcome);
    endSpan(span);
    return result;
  } catch (error) {
    endSpan(span, error);
    throw error;
  }
}

/** Without `url.full`: a hook URL lets its holder post to it. */
function attributesOf({ id, webhookId, listenerId, eventType, attempt, hookUrl }: LeasedDelivery): Attributes {
  const { host, port, scheme } = addressOf(hookUrl);
  return {
    'http.request.method': 'POST',
    'server.address': host,
    'server.port': port,
    'url.scheme': scheme,
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
    'flow_hooks.delivery.id': id,
    'flow_hooks.webhook.id': webhookId,
    'flow_hooks.listener.id': listenerId,
    'flow_hooks.event.type': eventType,
  };
}

function describeOutcome(span: Span, outcome: Outcome): void {
  span.setAttribute('flow_hooks.outcome', outcome.kind);
  if (outcome.kind === 'released') {
    if (outcome.failure !== undefined) markFailed(span, outcome.failure);
    return;
  }
  const { status, error } = outcome.report;
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  if (error !== undefined) markFailed(span, error === 'http_status' ? String(status) : error);
}
