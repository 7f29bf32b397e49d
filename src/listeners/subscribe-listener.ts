import { detailsIn, type ListenerEvent } from '../events/listener-events.js';
import type { FilterText } from './filters/filter.js';
import { requireActive } from './integration-tasks/effective-task.js';
import type { IntegrationTask } from './integration-tasks/integration-task.js';
import { isRegistered, type Listener, type ListenerDetails } from './listener.js';
import { TooManyListeners } from './listener-quota.js';
import type { DeliveryOptions } from './organisations/organisation-settings.js';
import { resumeListener } from './resume-listener.js';
import type { TransformText } from './transforms/transform-text.js';

export type SubscribeListener = Pick<ListenerDetails, 'orgId' | 'userId' | 'hookUrl' | 'subscriptionType'> & {
  /** It replaces the listener's filter. */
  readonly filter: FilterText;
  /** It replaces the listener's transformation. */
  readonly transform: TransformText;
  /** Delivery options; undefined: the organisation's default for a new listener, no change for an existing one. */
  readonly ordered?: boolean | undefined;
  /** Null: the service-wide limit for each listener. */
  readonly ratePerSecond?: number | null | undefined;
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
 * except that it resumes a paused one; another subscription type, filter, transformation, order or rate changes it. Both keep its ID. Throws
 * `IntegrationTaskMissing` or `IntegrationTaskInactive` for anything but a repeat if the task allows no listeners, and
 * `TooManyListeners` for a new listener beyond the quota.
 */
export function subscribeListener(command: SubscribeListener, listener: Listener): ListenerEvent[] {
  const { task, orgId, now, exhaustedQuota } = command;
  const isRepeat = isRegistered(listener) && isSame(listener.details, requestedOptions(command, listener.details));
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
  const { subscriptionType, filter, transform, ordered, ratePerSecond } = details;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...details,
        ...requestedOptions(command, details),
        previous: { subscriptionType, filter, transform, ordered, ratePerSecond },
        since: since.toString(),
      },
    },
  ];
}

type RequestedOptions = Pick<
  ListenerDetails,
  'subscriptionType' | 'filter' | 'transform' | 'ordered' | 'ratePerSecond'
>;

const requestedOptions = (
  { subscriptionType, filter, transform, ordered, ratePerSecond }: SubscribeListener,
  otherwise: DeliveryOptions,
): RequestedOptions => ({
  subscriptionType,
  filter,
  transform,
  ordered: ordered ?? otherwise.ordered,
  ratePerSecond: ratePerSecond === undefined ? otherwise.ratePerSecond : ratePerSecond,
});

const isSame = (one: RequestedOptions, other: RequestedOptions): boolean =>
  one.subscriptionType === other.subscriptionType &&
  one.filter === other.filter &&
  one.transform === other.transform &&
  one.ordered === other.ordered &&
  one.ratePerSecond === other.ratePerSecond;

function newDetails(command: SubscribeListener): ListenerDetails {
  const { listenerId, orgId, userId, hookUrl, keyGeneration, defaults } = command;
  return {
    listenerId,
    orgId,
    userId,
    hookUrl,
    ...requestedOptions(command, defaults),
    keyGeneration,
    secretVersion: 1,
    previousSecret: null,
    failing: null,
  };
}
