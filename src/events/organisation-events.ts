import { z } from 'zod';
import { codecFor, defineEvent, type EventOf } from '../stores/event-store/codec.js';

export const OrganisationSettingsChanged = defineEvent({
  category: 'organisation',
  type: 'OrganisationSettingsChanged',
  version: 1,
  schema: z.object({
    orgId: z.string(),
    /** Defaults of a new listener: see the listener events. */
    ordered: z.boolean(),
    ratePerSecond: z.number().positive().nullable(),
    /** Whether published flow events have to match their declared types. */
    eventTypeCheck: z.enum(['off', 'warn', 'refuse']),
  }),
});

export type OrganisationEvent = EventOf<typeof OrganisationSettingsChanged>;

export const organisationCodec = codecFor([OrganisationSettingsChanged]);
