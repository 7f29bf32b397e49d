import type { ListenerDetails } from '../../events/listener-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { DocumentFinder } from '../../views/read-model.js';
import { type EndingDependencies, endListener } from '../commands/end-listener.js';
import { currentListeners } from '../queries/registered-listeners.js';
import { isExpired } from './agent-subscription.js';

type Context = { cause: Cause; now: Date };

/** Ends the listener of an agent that did not renew it in time; one that was renewed meanwhile stays. */
export async function endExpired(
  dependencies: EndingDependencies,
  { orgId, hookUrl, listenerId }: Pick<ListenerDetails, 'orgId' | 'hookUrl' | 'listenerId'>,
  context: Context,
): Promise<void> {
  const isDue = (details: ListenerDetails) => isExpired(details, context.now);
  await endListener(dependencies, { reason: 'expired', orgId, hookUrl, listenerId, isDue }, context);
}

/** Ends all of the view that have expired, so that none counts as a listener or needs a master key for long. */
export async function endAllExpired(
  { readModel, ...dependencies }: EndingDependencies & { readModel: DocumentFinder },
  context: Context,
  signal: AbortSignal,
): Promise<void> {
  for await (const page of currentListeners(readModel))
    for (const listener of page) {
      if (signal.aborted) return;
      if (listener.agent && isExpired(listener, context.now)) await endExpired(dependencies, listener, context);
    }
}
