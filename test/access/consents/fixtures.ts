import { type ConsentFacts, consentIdOf } from '../../../src/access/consents/consent.js';
import type { ConsentEvent } from '../../../src/events/consent-events.js';

export const parties = { clientId: 'zapier', orgId: 'org-1', userId: 'user-1' };

const facts = (changes: Partial<ConsentFacts> = {}): ConsentFacts => {
  const { clientId, orgId, userId } = { ...parties, ...changes };
  const consentId = consentIdOf({ clientId, orgId, userId });
  return { consentId, ...parties, scopes: ['listeners'], grantedAt: '2026-01-01T00:00:00.000Z', ...changes };
};

export const consentGranted = (changes: Partial<ConsentFacts> = {}): ConsentEvent => ({
  type: 'ConsentGranted',
  data: facts(changes),
});

export const consentWithdrawn = (changes: Partial<ConsentFacts> = {}): ConsentEvent => ({
  type: 'ConsentWithdrawn',
  data: { ...facts(changes), withdrawnAt: '2026-01-02T00:00:00.000Z' },
});
