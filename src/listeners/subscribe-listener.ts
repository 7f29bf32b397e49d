import { isDeepStrictEqual } from 'node:util';
import { detailsIn, type ListenerEvent } from '../events/listener-events.js';
import { requireActive } from './integration-tasks/effective-task.js';
import type { IntegrationTask } from './integration-tasks/integration-task.js';
import { isRegistered, type Listener, type ListenerDetails } from './listener.js';
import { TooManyListeners } from './listener-quota.js';
import { resumeListener } from './resume-listener.js';
import {
  changedSubscription,
  type DeliveryOptions,
  newSubscription,
  type RequestedSubscription,
} from './subscription.js';

export type SubscribeListener = Pick<ListenerDetails, 'orgId' | 'userId' | 'hookUrl'> & {
  readonly subscription: RequestedSubscription;
  /** Options of a new listener that does not request others. */
  readonly defaults: DeliveryOptions;
  /** A new UUID and the current master key, for a new listener. */
  readonly listenerId: string;
  readonly keyGeneration: string;
  /** The integration task that applies to the organisation. */
  readonly task: IntegrationTask;
  /** The maximum number of listeners of the organisation, if it has that many. */
  readonly exhaustedQuota?: number | undefined;
  readonly now: Date;
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
  const resumed = resumeListener({ listenerId, now }, listener);
  if (isRepeat) return resumed;
  const details = resumed[0] ? detailsIn(resumed[0].data) : listener.details;
  // Resuming begins a new period, which the change then ends.
  const since = resumed.length > 0 ? listener.revision + 1n : listener.since;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...details,
        subscription: changedSubscription(details.subscription, command.subscription),
        previous: details.subscription,
        paused: false,
        since: since.toString(),
      },
    },
  ];
}

function newDetails(command: SubscribeListener): ListenerDetails {
  const { listenerId, orgId, userId, hookUrl, keyGeneration, subscription, defaults } = command;
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    subscription: newSubscription(subscription, defaults),
    keyGeneration,
    secretVersion: 1,
    previousSecret: null,
    failing: null,
  };
}
