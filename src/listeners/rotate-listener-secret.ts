import type { ListenerEvent } from './events.js';
import { isStanding, type Listener, ListenerNotFound } from './listener.js';

/** Gives a hook its next signing secret, under the master key of `keyGeneration`. Throws `ListenerNotFound` unless it is registered. */
export function rotateListenerSecret(
  { keyGeneration }: { readonly keyGeneration: string },
  listener: Listener,
): ListenerEvent[] {
  if (!isStanding(listener)) throw new ListenerNotFound();
  const { registration, state, since } = listener;
  return [
    {
      type: 'ListenerSecretRotated',
      data: {
        ...registration,
        keyGeneration,
        secretVersion: registration.secretVersion + 1,
        paused: state === 'paused',
        since: since.toString(),
      },
    },
  ];
}
