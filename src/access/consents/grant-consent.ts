import type { ConsentEvent } from '../../events/consent-events.js';
import { type Consent, type ConsentParties, consentIdOf, covers } from './consent.js';

export type GrantConsent = ConsentParties & { readonly scopes: readonly string[]; readonly now: Date };

/** The user agrees to these scopes, in addition to earlier ones unless they were withdrawn. */
export function grantConsent({ clientId, orgId, userId, scopes, now }: GrantConsent, consent: Consent): ConsentEvent[] {
  if (covers(consent, scopes)) return [];
  const earlier = consent.state === 'granted' ? consent.scopes : [];
  return [
    {
      type: 'ConsentGranted',
      data: {
        consentId: consentIdOf({ clientId, orgId, userId }),
        clientId,
        orgId,
        userId,
        scopes: [...new Set([...earlier, ...scopes])],
        grantedAt: now.toISOString(),
      },
    },
  ];
}
