import { isDeepStrictEqual } from 'node:util';
import type { Imported } from '../../events/imported.js';
import type { ListenerEvent } from '../../events/listener-events.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import {
  changedSubscription,
  type DeliveryOptions,
  newSubscription,
  type RequestedSubscription,
} from '../changed-subscription.js';
import { type IntegrationTask, requireActive } from '../integration-task.js';
import { isRegistered, type Listener, type ListenerDetails } from '../listener.js';
import { TooManyListeners } from '../listener-quota.js';
import { resumedFor } from './listener-commands.js';

type NewListener = {
  orgId: string;
  userId: string;
  hookUrl: string;
  subscription: RequestedSubscription;
  /** Options of a new listener that does not request others. */
  defaults: DeliveryOptions;
  /** A new UUID and the current master key, for a new listener. */
  listenerId: string;
  keyGeneration: string;
};

type RegisterListener = NewListener & {
  /** The integration task that applies to the organisation. */
  task: IntegrationTask;
};

export type SubscribeListener = RegisterListener & {
  /** The maximum number of listeners of the organisation, if it has that many. */
  exhaustedQuota?: number;
  now: Date;
};

/**
 * Registers a listener for an organisation's flow data. Repeating a current listener, also by another user, changes nothing
 * except that it resumes a paused one; another subscription changes it. Both keep its ID. Throws
 * `IntegrationTaskMissing` or `IntegrationTaskInactive` for anything but a repeat if the task allows no listeners, and
 * `TooManyListeners` for a new listener beyond the quota.
 */
export function subscribeListener(command: SubscribeListener, listener: Listener): ListenerEvent[] {
  const { task, orgId, now, exhaustedQuota } = command;
  const isRepeat =
    isRegistered(listener) &&
    isDeepStrictEqual(
      changedSubscription(listener.details.subscription, command.subscription),
      listener.details.subscription,
    );
  if (!isRepeat) requireActive(task, orgId);
  if (!isRegistered(listener)) {
    if (exhaustedQuota !== undefined) throw new TooManyListeners(exhaustedQuota);
    return [{ type: 'ListenerSubscribed', data: newDetails(command) }];
  }

  const { listenerId } = listener.details;
  const { resumed, details, since } = resumedFor({ listenerId, now }, listener);
  if (isRepeat) return resumed;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...details,
        subscription: changedSubscription(details.subscription, command.subscription),
        previous: details.subscription,
        paused: false,
        since,
      },
    },
  ];
}

export type ImportListener = RegisterListener & Imported;

/**
 * Registers a listener of another system. A listener that is or was registered is left as it is, so that a repeated import
 * brings back none that was removed. Throws as `subscribeListener`, but knows no quota.
 */
export function importListener(command: ImportListener, listener: Listener): ListenerEvent[] {
  if (listener.state !== 'none') return [];
  requireActive(command.task, command.orgId);
  return [{ type: 'ListenerSubscribed', data: { ...newDetails(command), imported: { beganAt: command.beganAt } } }];
}

/** `allowed` undefined: any. Throws `InvalidRequest`. */
export function requireAllowedType(subscriptionType: string, allowed: readonly string[] | undefined): void {
  if (allowed && !allowed.includes(subscriptionType)) {
    throw new InvalidRequest(`subscriptionType must be one of: ${allowed.join(', ')}`);
  }
}

function newDetails(listener: NewListener): ListenerDetails {
  const { listenerId, orgId, userId, hookUrl, keyGeneration, subscription, defaults } = listener;
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscription: newSubscription(subscription, defaults),
    secret: { keyGeneration, version: 1, previous: null },
    failing: null,
  };
}
