import { z } from 'zod';
import { changed, exampleIds } from './values.js';

const settings = {
  orgId: z.string(),
  ordered: z.boolean().describe('One delivery at a time, in the order of the flow events.'),
  ratePerSecond: z.number().nullable().describe('Null: the limit of the service for each listener.'),
  eventTypeCheck: z.enum(['off', 'warn', 'refuse']).describe('For flow events that do not match their declared type.'),
};

export const organisationSettingsAnswer = z.strictObject(settings).meta({
  id: 'OrganisationSettings',
  description: "The defaults of an organisation's new listeners, and the check of its flow events.",
});

export const changedOrganisationSettingsAnswer = z
  .strictObject({ ...settings, changed })
  .meta({ id: 'ChangedOrganisationSettings' });

export const erasedAnswer = z
  .strictObject({
    organisation: z.string().describe('The pseudonym of the organisation in the record of erasures.'),
    streams: z.int().nonnegative().describe('Number of streams that were deleted, without flows.'),
    flowStreams: z.int().nonnegative(),
    elsewhere: z
      .array(z.string())
      .describe('Flow streams of another organisation, or of none, with events that name this one: they are kept.'),
  })
  .meta({ id: 'Erased', description: 'What an erasure deleted; zeros where nothing was left to delete.' });

const task = { orgId: z.string().nullable().describe('Null: the default of the whole service.'), name: z.string() };

export const taskAnswer = z
  .discriminatedUnion('state', [
    z.strictObject({ state: z.literal('missing') }),
    z.strictObject({ state: z.enum(['inactive', 'active']), ...task }),
  ])
  .meta({ id: 'IntegrationTask', description: 'While it is active, the organisation may register listeners.' });

export const changedTaskAnswer = z
  .strictObject({ state: z.enum(['inactive', 'active']), ...task, changed })
  .meta({ id: 'ChangedIntegrationTask' });

export const registeredTaskAnswer = z
  .strictObject({
    ...task,
    state: z.enum(['registered', 'active', 'inactive']),
    since: z.string().describe('Since when it has been in this state.'),
    reason: z.string().nullable().describe('Why it was deactivated, if a reason was given.'),
  })
  .meta({ id: 'RegisteredIntegrationTask' });

export const settingsExample = {
  orgId: exampleIds.orgId,
  ordered: false,
  ratePerSecond: 20,
  eventTypeCheck: 'warn',
} as const;

export const taskExample = { state: 'active', orgId: exampleIds.orgId, name: 'default' } as const;
