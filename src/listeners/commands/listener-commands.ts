import { isDeepStrictEqual } from 'node:util';
import { detailsIn, type ListenerEvent } from '../../events/listener-events.js';
import { DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import { changedSubscription, type DeliveryOptions, type SubscriptionChange } from '../changed-subscription.js';
import {
  detailsOf,
  type EndReason,
  isRegistered,
  type Listener,
  type ListenerDetails,
  type RegisteredListener,
  requireRegistered,
} from '../listener.js';

/**
 * Pauses a listener: it stays, without deliveries. Changes nothing if it is paused already. Throws `ListenerNotFound`
 * unless this listener is current.
 */
export function pauseListener({ listenerId }: { listenerId: string }, listener: Listener): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  if (state === 'paused') return [];
  return [{ type: 'ListenerPaused', data: { ...details, reason: 'operator', since: since.toString() } }];
}

export type ResumeListener = {
  listenerId: string;
  now: Date;
  /** True: its held deliveries are delivered too. */
  redeliverHeld?: boolean;
  /** Also of an active listener: its circuit breaker closes, with every repeat. */
  closeCircuit?: boolean;
};

/**
 * Resumes a paused listener; without `closeCircuit`, changes nothing if it is not paused. Earlier failures no longer count towards an automatic
 * pause. Throws `ListenerNotFound` unless this listener is current.
 */
export function resumeListener(
  { listenerId, now, redeliverHeld, closeCircuit }: ResumeListener,
  listener: Listener,
): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  if (state === 'active' && !closeCircuit) return [];
  const failing = { since: now.toISOString(), failures: 0, percent: 0 };
  return [
    {
      type: 'ListenerResumed',
      data: {
        ...details,
        failing,
        since: since.toString(),
        ...(redeliverHeld && { redeliverHeld }),
        ...(state === 'active' && { circuitClosed: true }),
      },
    },
  ];
}

/**
 * Resumes a listener, if it is paused, before another event: `details` and `since` are those of that event, because a resume begins a new period.
 * Throws as `resumeListener`.
 */
export function resumedFor(
  command: ResumeListener,
  listener: RegisteredListener,
): { resumed: ListenerEvent[]; details: ListenerDetails; since: string } {
  const resumed = resumeListener(command, listener);
  const [event] = resumed;
  if (!event) return { resumed, details: listener.details, since: listener.since.toString() };
  return { resumed, details: detailsIn(event.data), since: (listener.revision + 1n).toString() };
}

export type UnsubscribeListener = {
  reason: EndReason;
  /** Ends only this listener, never a later listener at the same hook URL. Undefined: the current one. */
  listenerId?: string;
};

/** Ends a listener. Repeating it changes nothing. Throws `ListenerNotFound` if the listener was never registered. */
export function unsubscribeListener({ reason, listenerId }: UnsubscribeListener, listener: Listener): ListenerEvent[] {
  const details = detailsOf(listener);
  if (!isRegistered(listener)) return [];
  if (listenerId !== undefined && listenerId !== details.listenerId) return [];
  return [{ type: 'ListenerUnsubscribed', data: { ...details, reason, since: listener.since.toString() } }];
}

/** Undefined options stay unchanged. */
export type ChangeListenerOptions = {
  listenerId: string;
  options: Pick<SubscriptionChange, keyof DeliveryOptions>;
};

/**
 * Changes order and rate of a listener, which stays active or paused. Changes nothing if it has these options already.
 * Throws `ListenerNotFound` unless this listener is current.
 */
export function changeListenerOptions(
  { listenerId, options }: ChangeListenerOptions,
  listener: Listener,
): ListenerEvent[] {
  const { state, details, since } = requireRegistered(listener, listenerId);
  const { subscription: previous } = details;
  const subscription = changedSubscription(previous, options);
  if (isDeepStrictEqual(subscription, previous)) return [];
  const data = { ...details, subscription, previous, paused: state === 'paused', since: since.toString() };
  return [{ type: 'ListenerSubscriptionChanged', data }];
}

/** Two secrets are in use; a third would end the overlap that the response to the last rotation announced. */
export class SecretsOverlap extends DomainError {
  readonly code = 'secrets_overlap';

  constructor(until: string) {
    super(
      `the previous secret is in use until ${until}: rotate after that, or with an overlap of 0 hours, which revokes all earlier ones`,
    );
  }
}

export type RotateListenerSecret = {
  listenerId: string;
  /** The master key that the next secret is derived from. */
  keyGeneration: string;
  /** Time for which deliveries are also signed with the present secret; 0 revokes it and all earlier ones at once. */
  overlapMs: number;
  now: Date;
  /** The version of the secret to replace; if it was replaced already, nothing changes. Undefined: the present one. */
  replaces?: number;
};

/**
 * Gives a listener its next signing secret. Throws `ListenerNotFound` unless this listener is current, `SecretsOverlap` if
 * the previous secret is still in use and `overlapMs` is not 0, and `InvalidRequest` if the version to replace never existed,
 * so that a caller who wants to revoke a secret does not get a wrong confirmation.
 */
export function rotateListenerSecret(
  { listenerId, keyGeneration, overlapMs, now, replaces }: RotateListenerSecret,
  listener: Listener,
): ListenerEvent[] {
  const { details, state, since } = requireRegistered(listener, listenerId);
  const { previous: overlap, ...present } = details.secret;
  if (present.sealed !== undefined) throw new InvalidRequest('the agent gave this secret, and gives another one');
  if (replaces !== undefined && replaces > present.version) {
    throw new InvalidRequest(`the secret is version ${present.version}: there is no version ${replaces} to replace`);
  }
  if (replaces !== undefined && replaces < present.version) return [];
  if (overlapMs > 0 && overlap && Date.parse(overlap.until) > now.getTime()) throw new SecretsOverlap(overlap.until);
  const until = new Date(now.getTime() + overlapMs).toISOString();
  return [
    {
      type: 'ListenerSecretRotated',
      data: {
        ...details,
        secret: {
          keyGeneration,
          version: present.version + 1,
          previous: overlapMs > 0 ? { ...present, until } : null,
        },
        paused: state === 'paused',
        since: since.toString(),
      },
    },
  ];
}
