import type { ListenerEvent } from '../../events/listener-events.js';
import { DomainError, InvalidRequest } from '../../kernel/domain-error.js';
import { type Listener, requireRegistered } from './listener.js';

/** Two secrets sign already, and a third would end what the answer to the last rotation has promised. */
export class SecretsOverlap extends DomainError {
  readonly code = 'secrets_overlap';

  constructor(until: string) {
    super(
      `the secret before signs until ${until}: rotate after that, or with an overlap of 0 hours, which revokes every earlier one`,
    );
  }
}

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

/**
 * Gives a hook its next signing secret. Throws `ListenerNotFound` unless this very registration holds, `SecretsOverlap`
 * where the last rotation still lets the one before sign, unless that is to be revoked, and `InvalidRequest` where it is to
 * replace a secret that there has never been: whoever means to revoke one must not be told that this was done.
 */
export function rotateListenerSecret(
  { listenerId, keyGeneration, overlapMs, now, replaces }: RotateListenerSecret,
  listener: Listener,
): ListenerEvent[] {
  const { registration, state, since } = requireRegistered(listener, listenerId);
  const present = { keyGeneration: registration.keyGeneration, secretVersion: registration.secretVersion };
  if (replaces !== undefined && replaces > present.secretVersion) {
    throw new InvalidRequest(
      `the secret is version ${present.secretVersion}: there is no version ${replaces} to replace`,
    );
  }
  if (replaces !== undefined && replaces < present.secretVersion) return [];
  const overlap = registration.previousSecret;
  if (overlapMs > 0 && overlap && Date.parse(overlap.until) > now.getTime()) throw new SecretsOverlap(overlap.until);
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
