import type { z } from 'zod';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import type { ListenerEvent } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle } from '../../stores/event-store/handle.js';
import type { subscribeRequest } from '../contract.js';
import { normalisedHookUrl } from '../hook-url.js';
import { effectiveTask } from '../integration-task.js';
import { type Listener, listenerDecider, listenerStream, newListenerId } from '../listener.js';
import type { ListenerQuota } from '../listener-quota.js';
import { organisationSettings } from '../organisation-settings.js';
import { requestedSubscription } from '../subscription.js';
import { requireAllowedType, subscribeListener } from './subscribe-listener.js';

export type SubscribingDependencies = {
  store: EventStore;
  masterKeys: MasterKeys;
  /** The subscription types that are allowed; undefined: any. */
  subscriptionTypes: readonly string[] | undefined;
  /** Rejects with `target_not_allowed` if the service does not deliver to this URL. */
  checkTarget: (hookUrl: string) => Promise<void>;
  listenerQuota: ListenerQuota;
};

/** Registers a listener, or changes the subscription of the one at the hook URL. Throws as `subscribeListener`. */
export type Subscribe = (
  request: z.output<typeof subscribeRequest> & { orgId: string; userId: string },
  context: { cause: Cause; now: Date },
) => Promise<Handled<Listener, ListenerEvent>>;

export const subscribing =
  ({ store, masterKeys, subscriptionTypes, checkTarget, listenerQuota }: SubscribingDependencies): Subscribe =>
  async ({ orgId, userId, hookUrl: requestedUrl, ...body }, context) => {
    const hookUrl = normalisedHookUrl(requestedUrl);
    requireAllowedType(body.subscriptionType, subscriptionTypes);
    const subscription = await requestedSubscription(body);
    await checkTarget(hookUrl);
    const [task, defaults, exhaustedQuota] = await Promise.all([
      effectiveTask(store, orgId),
      organisationSettings(store, orgId),
      listenerQuota(orgId),
    ]);
    const keyGeneration = masterKeys.current;
    const command = { listenerId: newListenerId(), keyGeneration, subscription, orgId, userId, hookUrl, task };
    return handle(
      store,
      listenerStream(orgId, hookUrl),
      listenerDecider,
      (listener) => subscribeListener({ ...command, defaults, exhaustedQuota, now: context.now }, listener),
      context,
    );
  };
