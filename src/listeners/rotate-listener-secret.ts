import type { ListenerEvent } from '../events/listener-events.js';
import { DomainError, InvalidRequest } from '../kernel/domain-error.js';
import { type Listener, requireRegistered } from './listener.js';

/** Two secrets are in use; a third would end the overlap that the response to the last rotation announced. */
export class SecretsOverlap extends DomainError {
  readonly code = 'secrets_overlap';

  constructor(until: string) {
    super(
      `the previous secret is in use until ${until}: rotate after that, or with an overlap of 0 hours, which revokes all earlier ones`,
    );
  }
}

export type RotateListenerSecret = {
  readonly listenerId: string;
  /** The master key that the next secret is derived from. */
  readonly keyGeneration: string;
  /** For how long deliveries are also signed with the present secret; 0 revokes it and all earlier ones at once. */
  readonly overlapMs: number;
  readonly now: Date;
  /** The version of the secret to replace; if it was replaced already, nothing changes. Undefined: the present one. */
  readonly replaces?: number | undefined;
};

/**
 * Gives a listener its next signing secret. Throws `ListenerNotFound` unless this listener is current, `SecretsOverlap` if
 * the previous secret is still in use and `overlapMs` is not 0, and `InvalidRequest` if the version to replace never existed,
 * so that a caller who wants to revoke a secret does not get a wrong confirmation.
 */
export function rotateListenerSecret(
  { listenerId, keyGeneration, overlapMs, now, replaces }: RotateListenerSecret,
  listener: Listener,
): ListenerEvent[] {
  const { details, state, since } = requireRegistered(listener, listenerId);
  const { previous: overlap, ...present } = details.secret;
  if (replaces !== undefined && replaces > present.version) {
    throw new InvalidRequest(`the secret is version ${present.version}: there is no version ${replaces} to replace`);
  }
  if (replaces !== undefined && replaces < present.version) return [];
  if (overlapMs > 0 && overlap && Date.parse(overlap.until) > now.getTime()) throw new SecretsOverlap(overlap.until);
  const until = new Date(now.getTime() + overlapMs).toISOString();
  return [
    {
      type: 'ListenerSecretRotated',
      data: {
        ...details,
        secret: {
          keyGeneration,
          version: present.version + 1,
          previous: overlapMs > 0 ? { ...present, until } : null,
        },
        paused: state === 'paused',
        since: since.toString(),
      },
    },
  ];
}
