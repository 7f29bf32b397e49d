import type { ListenerEvent } from './events.js';
import { type Listener, standing } from './listener.js';

/** For how many hours deliveries are signed with the secret before too. */
export const overlapHours = { usual: 24, most: 7 * 24 } as const;

export type RotateListenerSecret = {
  readonly listenerId: string;
  /** The master key that the next secret is derived under. */
  readonly keyGeneration: string;
  /** For how long deliveries are signed with the present secret too; 0 revokes it, and every earlier one, at once. */
  readonly overlapMs: number;
  readonly now: Date;
  /** The version of the secret that is to be replaced: where it has been, nothing changes. Undefined: whichever holds. */
  readonly replaces?: number | undefined;
};

/** Gives a hook its next signing secret. Throws `ListenerNotFound` unless this very registration holds. */
export function rotateListenerSecret(
  { listenerId, keyGeneration, overlapMs, now, replaces }: RotateListenerSecret,
  listener: Listener,
): ListenerEvent[] {
  const { registration, state, since } = standing(listener, listenerId);
  const present = { keyGeneration: registration.keyGeneration, secretVersion: registration.secretVersion };
  if (replaces !== undefined && replaces !== present.secretVersion) return [];
  const until = new Date(now.getTime() + overlapMs).toISOString();
  return [
    {
      type: 'ListenerSecretRotated',
      data: {
        ...registration,
        keyGeneration,
        secretVersion: present.secretVersion + 1,
        previousSecret: overlapMs > 0 ? { ...present, until } : null,
        paused: state === 'paused',
        since: since.toString(),
      },
    },
  ];
}
