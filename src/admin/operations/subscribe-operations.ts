import type { z } from 'zod';
import type { MasterKeys } from '../../access/keys/master-keys.js';
import { operationsOrganisation } from '../../events/operational-events.js';
import { selectsOperational } from '../../flows/types/subscription-types.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { subscribeListener } from '../../listeners/commands/subscribe-listener.js';
import { subscribeRequest } from '../../listeners/contract.js';
import { normalisedHookUrl } from '../../listeners/hook-url.js';
import { detailsOf, listenerDecider, listenerStream, newListenerId } from '../../listeners/listener.js';
import { verifyingKeys } from '../../listeners/signing-secret.js';
import { replacedSubscription, requestedSubscription, subscriptionFacts } from '../../listeners/subscription.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { handle } from '../../stores/event-store/handle.js';

export const operationsRequest = subscribeRequest.shape;

export type SubscribeOperations = {
  store: EventStore;
  masterKeys: MasterKeys;
  checkTarget: (hookUrl: string) => Promise<void>;
};

/** No organisation's task decides about listeners of operators. */
const task = { state: 'active', orgId: null, name: 'operations' } as const;
const defaults = { ordered: false, ratePerSecond: null };

/**
 * Registers a listener for the operational events of all organisations; a repeat changes nothing. Throws the errors of a subscribe,
 * and `InvalidRequest` for a subscription type that selects no operational event.
 */
export async function subscribeOperations(
  { store, masterKeys, checkTarget }: SubscribeOperations,
  { hookUrl: requestedUrl, ...body }: z.output<typeof subscribeRequest>,
  context: { cause: Cause; now: Date },
) {
  if (!selectsOperational(body.subscriptionType)) {
    throw new InvalidRequest(
      'subscriptionType must be the type of an operational event, or a prefix such as listener.*',
    );
  }
  const hookUrl = normalisedHookUrl(requestedUrl);
  const subscription = await requestedSubscription(body);
  await checkTarget(hookUrl);
  const { actor } = context.cause;
  const { state, events } = await handle(
    store,
    listenerStream(operationsOrganisation, hookUrl),
    listenerDecider,
    (listener) =>
      subscribeListener(
        {
          orgId: operationsOrganisation,
          userId: actor,
          hookUrl,
          subscription,
          listenerId: newListenerId(),
          keyGeneration: masterKeys.current,
          task,
          defaults,
          now: context.now,
        },
        listener,
      ),
    context,
  );
  const details = detailsOf(state);
  return {
    listenerId: details.listenerId,
    orgId: details.orgId,
    hookUrl: details.hookUrl,
    ...subscriptionFacts(details.subscription),
    ...verifyingKeys(masterKeys, details),
    replaced: replacedSubscription(events),
  };
}
