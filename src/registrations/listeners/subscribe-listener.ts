import { type ListenerEvent, registrationIn } from '../../events/listener-events.js';
import type { FilterText } from '../filters/filter.js';
import { requireActive } from '../integration-tasks/effective-task.js';
import type { IntegrationTask } from '../integration-tasks/integration-task.js';
import type { DeliveryOptions } from '../organisations/organisation-settings.js';
import { TooManyHooks } from './hook-quota.js';
import { isRegistered, type Listener, type Registration } from './listener.js';
import { resumeListener } from './resume-listener.js';

export type SubscribeListener = Pick<Registration, 'orgId' | 'userId' | 'hookUrl' | 'subscriptionType'> & {
  /** It replaces the registration's filter. */
  readonly filter: FilterText;
  /** Delivery options; undefined: the organisation's default for a new registration, no change for an existing one. */
  readonly ordered?: boolean | undefined;
  /** Null: the service-wide limit for each hook. */
  readonly ratePerSecond?: number | null | undefined;
  readonly defaults: DeliveryOptions;
  /** A new UUID and the current master key, for a new registration. */
  readonly listenerId: string;
  readonly keyGeneration: string;
  /** The integration task that applies to the organisation. */
  readonly task: IntegrationTask;
  /** The maximum number of hooks of the organisation, if it has that many. */
  readonly exhaustedQuota?: number | undefined;
  readonly now: Date;
};

/**
 * Registers a hook for an organisation's flow data. Repeating a current registration, also by another user, changes nothing
 * except that it resumes a paused one; another subscription type, filter, order or rate changes it. Both keep its ID. Throws
 * `IntegrationTaskMissing` or `IntegrationTaskInactive` for anything but a repeat if the task allows no registrations, and
 * `TooManyHooks` for a new registration beyond the quota.
 */
export function subscribeListener(command: SubscribeListener, listener: Listener): ListenerEvent[] {
  const { task, orgId, now, exhaustedQuota } = command;
  const isRepeat =
    isRegistered(listener) && isSame(listener.registration, requestedOptions(command, listener.registration));
  if (!isRepeat) requireActive(task, orgId);
  if (!isRegistered(listener)) {
    if (exhaustedQuota !== undefined) throw new TooManyHooks(exhaustedQuota);
    return [{ type: 'ListenerSubscribed', data: newRegistration(command) }];
  }

  const { listenerId } = listener.registration;
  const resumed = resumeListener({ listenerId, now }, listener);
  if (isRepeat) return resumed;
  const registration = resumed[0] ? registrationIn(resumed[0].data) : listener.registration;
  // Resuming begins a new period, which the change then ends.
  const since = resumed.length > 0 ? listener.revision + 1n : listener.since;
  const { subscriptionType, filter, ordered, ratePerSecond } = registration;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...registration,
        ...requestedOptions(command, registration),
        previous: { subscriptionType, filter, ordered, ratePerSecond },
        since: since.toString(),
      },
    },
  ];
}

type RequestedOptions = Pick<Registration, 'subscriptionType' | 'filter' | 'ordered' | 'ratePerSecond'>;

const requestedOptions = (
  { subscriptionType, filter, ordered, ratePerSecond }: SubscribeListener,
  otherwise: DeliveryOptions,
): RequestedOptions => ({
  subscriptionType,
  filter,
  ordered: ordered ?? otherwise.ordered,
  ratePerSecond: ratePerSecond === undefined ? otherwise.ratePerSecond : ratePerSecond,
});

const isSame = (one: RequestedOptions, other: RequestedOptions): boolean =>
  one.subscriptionType === other.subscriptionType &&
  one.filter === other.filter &&
  one.ordered === other.ordered &&
  one.ratePerSecond === other.ratePerSecond;

function newRegistration(command: SubscribeListener): Registration {
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
