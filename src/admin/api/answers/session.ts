import { z } from 'zod';
import { changed, exampleIds, exampleTimes, timeOrNull } from './values.js';

const session = {
  sessionId: z.uuid(),
  orgId: z.string(),
  userId: z.string(),
  clientId: z.string().nullable().describe('The client that it is bound to.'),
  issuedAt: z.string(),
  rotatedAt: z.string().describe('When its refresh token was last rotated.'),
};

export const sessionAnswer = z
  .strictObject({
    ...session,
    state: z.enum(['active', 'revoked']),
    rotations: z.int().nonnegative(),
    reusedAt: timeOrNull.describe('When an earlier refresh token was presented.'),
    revokedAt: timeOrNull,
    reason: z.string().nullable().describe('Why it was revoked.'),
  })
  .meta({ id: 'Session', description: "A user's session, without its tokens." });

export const revokedSessionAnswer = z.strictObject(session).meta({ id: 'RevokedSession' });

const consent = {
  consentId: z.uuid(),
  clientId: z.string(),
  orgId: z.string(),
  userId: z.string(),
  scopes: z.array(z.string()),
  grantedAt: z.string(),
  state: z.enum(['granted', 'withdrawn']),
  withdrawnAt: z.string().optional(),
};

export const consentAnswer = z
  .strictObject(consent)
  .meta({ id: 'Consent', description: 'What a user agreed to: a client may act for them in an organisation.' });

export const changedConsentAnswer = z.strictObject({ ...consent, changed }).meta({ id: 'ChangedConsent' });

export const revokedSessionExample = {
  sessionId: '3f333df6-90a4-4fda-8dd3-9485d27cee36',
  orgId: exampleIds.orgId,
  userId: '42',
  clientId: 'platform',
  issuedAt: exampleTimes.before,
  rotatedAt: exampleTimes.at,
} as const;

export const sessionExample = {
  ...revokedSessionExample,
  state: 'active',
  rotations: 3,
  reusedAt: null,
  revokedAt: null,
  reason: null,
} as const;

export const consentExample = {
  consentId: '6ecd8c99-4036-503d-9bf8-4645f967c8f0',
  clientId: 'platform',
  orgId: exampleIds.orgId,
  userId: '42',
  scopes: ['listeners'],
  grantedAt: exampleTimes.before,
  state: 'granted',
} as const;
