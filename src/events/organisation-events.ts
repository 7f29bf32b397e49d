import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';
import { subscription } from './listener-events.js';

export const OrganisationSettingsChanged = defineEvent({
  category: 'organisation',
  type: 'OrganisationSettingsChanged',
  version: 1,
  schema: z.object({
    orgId: z.string(),
    /** Defaults of new listeners. */
    ...subscription.pick({ ordered: true, ratePerSecond: true }).shape,
    eventTypeCheck: z.enum(['off', 'warn', 'refuse']),
  }),
});

export type OrganisationEvent = EventOf<typeof OrganisationSettingsChanged>;

export const organisationCodec = codecFor([OrganisationSettingsChanged]);
