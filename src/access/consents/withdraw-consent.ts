import type { ConsentEvent } from '../../events/consent-events.js';
import { type Consent, factsOf } from './consent.js';
import { ConsentNotFound } from './errors.js';

export type WithdrawConsent = { readonly consentId: string; readonly now: Date };

/** The user is asked again at the next sign-in. Changes nothing if it was withdrawn before. Throws `ConsentNotFound`. */
export function withdrawConsent({ consentId, now }: WithdrawConsent, consent: Consent): ConsentEvent[] {
  if (consent.state === 'none') throw new ConsentNotFound(consentId);
  if (consent.state === 'withdrawn') return [];
  return [{ type: 'ConsentWithdrawn', data: { ...factsOf(consent), withdrawnAt: now.toISOString() } }];
}
