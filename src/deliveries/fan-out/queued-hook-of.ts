import type { Registration } from '../../events/listener-events.js';
import type { PreviousSecret, QueuedHook } from '../queue/delivery.js';

/** What the queue knows of a registration, as an event at `position` left it. */
export function queuedHookOf(
  registration: Registration,
  { paused, position }: { readonly paused: boolean; readonly position: bigint },
): QueuedHook {
  const { listenerId, orgId, hookUrl, keyGeneration, secretVersion, transform, ordered, ratePerSecond } = registration;
  // Named one by one: this is made of every hook that an event goes to, and spreading costs ten times as much.
  return {
    listenerId,
    orgId,
    hookUrl,
    keyGeneration,
    secretVersion,
    previousSecret: previousSecretOf(registration),
    transform: transform ?? undefined,
    ordered,
    ratePerSecond: ratePerSecond ?? undefined,
    paused,
    position,
  };
}

function previousSecretOf({ previousSecret }: Registration): PreviousSecret | undefined {
  if (!previousSecret) return undefined;
  const { keyGeneration, secretVersion, until } = previousSecret;
  return { keyGeneration, secretVersion, until: Date.parse(until) };
}
