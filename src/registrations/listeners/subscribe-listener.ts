import { type ListenerEvent, registrationIn } from '../../events/listener-events.js';
import { requireActive } from '../integration-tasks/effective-task.js';
import type { IntegrationTask } from '../integration-tasks/integration-task.js';
import type { DeliveryOptions } from '../organisations/organisation-settings.js';
import { isRegistered, type Listener, type Registration } from './listener.js';
import { resumeListener } from './resume-listener.js';

export type SubscribeListener = Pick<Registration, 'orgId' | 'userId' | 'hookUrl' | 'subscriptionType'> & {
  /** How deliveries go; what is left out is what the organisation has by default, or stays what it is. */
  readonly ordered?: boolean | undefined;
  /** Null: what holds for every hook. */
  readonly ratePerSecond?: number | null | undefined;
  readonly defaults: DeliveryOptions;
  /** A fresh UUID and the current master key, for where this makes a new registration. */
  readonly listenerId: string;
  readonly keyGeneration: string;
  /** The integration task that holds for the organisation. */
  readonly task: IntegrationTask;
  readonly now: Date;
};

/**
 * Registers a hook for an organisation's flow data. Repeating a registration that holds changes nothing, whoever repeats
 * it, but resumes a paused one; another subscription type, order or rate changes it. Both keep its ID. Throws
 * `IntegrationTaskMissing` or `IntegrationTaskInactive` where anything but a repeat is asked of a task that takes no
 * registrations.
 */
export function subscribeListener(command: SubscribeListener, listener: Listener): ListenerEvent[] {
  const { task, orgId, now } = command;
  const isRepeat = isRegistered(listener) && isSame(listener.registration, wantedOf(command, listener.registration));
  if (!isRepeat) requireActive(task, orgId);
  if (!isRegistered(listener)) return [{ type: 'ListenerSubscribed', data: newRegistration(command) }];

  const { listenerId } = listener.registration;
  const resumed = resumeListener({ listenerId, now }, listener);
  if (isRepeat) return resumed;
  const registration = resumed[0] ? registrationIn(resumed[0].data) : listener.registration;
  // Resuming begins a period of its own, which the change then ends.
  const since = resumed.length > 0 ? listener.revision + 1n : listener.since;
  const { subscriptionType, ordered, ratePerSecond } = registration;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...registration,
        ...wantedOf(command, registration),
        previous: { subscriptionType, ordered, ratePerSecond },
        since: since.toString(),
      },
    },
  ];
}

type Wanted = Pick<Registration, 'subscriptionType' | 'ordered' | 'ratePerSecond'>;

const wantedOf = (
  { subscriptionType, ordered, ratePerSecond }: SubscribeListener,
  otherwise: DeliveryOptions,
): Wanted => ({
  subscriptionType,
  ordered: ordered ?? otherwise.ordered,
  ratePerSecond: ratePerSecond === undefined ? otherwise.ratePerSecond : ratePerSecond,
});

const isSame = (one: Wanted, other: Wanted): boolean =>
  one.subscriptionType === other.subscriptionType &&
  one.ordered === other.ordered &&
  one.ratePerSecond === other.ratePerSecond;

function newRegistration(command: SubscribeListener): Registration {
  const { listenerId, orgId, userId, hookUrl, keyGeneration, defaults } = command;
  return {
    listenerId,
    ...{ orgId, userId, hookUrl },
    ...wantedOf(command, defaults),
    ...{ keyGeneration, secretVersion: 1, previousSecret: null, failing: null },
  };
}
