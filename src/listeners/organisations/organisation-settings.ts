import { z } from 'zod';
import { type OrganisationEvent, organisationCodec } from '../../events/organisation-events.js';
import { uuidV5 } from '../../kernel/uuid.js';
import type { Decider } from '../../stores/event-store/handle.js';
import { type DeliveryOptions, deliveryOptionsRequest } from '../subscription.js';

/** Defaults of an organisation's new listeners, and how its published flow events are checked. */
export type OrganisationSettings = DeliveryOptions & {
  /** Flow events that do not match their declared type are accepted, accepted with a warning, or refused. */
  readonly eventTypeCheck: 'off' | 'warn' | 'refuse';
};

/** The settings of an organisation in requests; undefined ones stay unchanged. */
export const organisationSettingsRequest = {
  ...deliveryOptionsRequest,
  eventTypeCheck: z
    .enum(['off', 'warn', 'refuse'], { error: 'must be off, warn or refuse' })
    .optional()
    .describe('Whether published flow events have to match their declared types.'),
};

export const organisationDecider: Decider<OrganisationSettings, OrganisationEvent> = {
  codec: organisationCodec,
  initialState: () => ({ ordered: false, ratePerSecond: null, eventTypeCheck: 'off' }),
  evolve: (_, { data: { ordered, ratePerSecond, eventTypeCheck } }) => ({ ordered, ratePerSecond, eventTypeCheck }),
};

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('066b2bb9-954a-475a-9465-4e045592167e');

export const organisationStream = (orgId: string): string => `organisation-${streamId(orgId)}`;
