import type { IntegrationTask } from '../integration-tasks/integration-task.js';
import { requireActive } from '../integration-tasks/required-task.js';
import type { ListenerEvent } from './events.js';
import { isStanding, type Listener, type Registration } from './listener.js';
import { resumeListener } from './resume-listener.js';

export type SubscribeListener = Pick<Registration, 'orgId' | 'userId' | 'hookUrl' | 'subscriptionType'> & {
  /** A fresh UUID and the current master key, for where this makes a new registration. */
  readonly listenerId: string;
  readonly keyGeneration: string;
  /** The integration task that holds for the organisation. */
  readonly task: IntegrationTask;
};

/**
 * Registers a hook for an organisation's flow data. Repeating a registration that holds changes nothing, whoever repeats
 * it, but resumes a paused one; another subscription type changes it. Both keep its ID. Throws `IntegrationTaskMissing` or
 * `IntegrationTaskInactive` where anything but a repeat is asked of a task that takes no registrations.
 */
export function subscribeListener(command: SubscribeListener, listener: Listener): ListenerEvent[] {
  const { task, orgId, userId, hookUrl, subscriptionType, listenerId, keyGeneration } = command;
  const isRepeat = isStanding(listener) && listener.registration.subscriptionType === subscriptionType;
  if (!isRepeat) requireActive(task, orgId);
  if (!isStanding(listener)) {
    const registration = { listenerId, orgId, userId, hookUrl, subscriptionType, keyGeneration, secretVersion: 1 };
    return [{ type: 'ListenerSubscribed', data: registration }];
  }

  const resumed = resumeListener(listener);
  if (isRepeat) return resumed;
  const { registration } = listener;
  // Resuming begins a period of its own, which the change then ends.
  const since = resumed.length > 0 ? listener.revision + 1n : listener.since;
  return [
    ...resumed,
    {
      type: 'ListenerSubscriptionChanged',
      data: {
        ...registration,
        subscriptionType,
        previousSubscriptionType: registration.subscriptionType,
        since: since.toString(),
      },
    },
  ];
}
