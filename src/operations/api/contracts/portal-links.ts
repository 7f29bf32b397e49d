import { z } from 'zod';
import { portalRoles } from '../../../access/portal/portal-access.js';
import { opaqueId } from '../../../kernel/input/opaque-id.js';
import { adminRoute } from '../routing/admin-route.js';

const wholeSeconds = { error: 'must be a whole number of seconds from 10 to 86400' };
const wholeMinutes = { error: 'must be a whole number of minutes from 1 to 720' };

export const createPortalLinkRoute = adminRoute({
  method: 'post',
  path: '/portal-links',
  subject: 'Portal',
  summary: 'Make a link to the portal of an organisation',
  description:
    "A company's back end requests a link for a user whom it has signed in, and opens it in a frame or a tab. Until it expires, the " +
    'link opens sessions: treat it as a password. `user` names the user in the history; without it the organisation is named.',
  body: {
    orgId: opaqueId,
    role: z
      .enum(portalRoles, { error: `must be ${portalRoles.join(' or ')}` })
      .default('operator')
      .describe('A viewer reads; an operator also changes hooks and publishes flow events.'),
    user: opaqueId.optional().describe('The ID of the user in the company, for the history: `portal:<user>`.'),
    expiresInSeconds: z.int(wholeSeconds).min(10, wholeSeconds).max(86_400, wholeSeconds).default(600),
    sessionMinutes: z.int(wholeMinutes).min(1, wholeMinutes).max(720, wholeMinutes).default(60),
  },
  bodyExample: { orgId: 'acme', user: 'ada', role: 'operator' },
  answer: {
    status: 201,
    description: 'The link.',
    schema: z.strictObject({
      url: z.url().describe('Absolute, with a token in its query: no log of the service contains it.'),
      expiresAt: z.iso.datetime().describe('When the link stops opening sessions; ISO 8601.'),
    }),
    example: { url: 'https://hooks.example.com/portal/open?token=eyJhbGci…', expiresAt: '2026-01-31T12:10:00.000Z' },
  },
  errors: [],
  // Refused in a session of the portal, which could make its own access last for ever.
  access: { role: 'operator', organisation: 'service' },
});

export const portalLinkContracts = [createPortalLinkRoute];
