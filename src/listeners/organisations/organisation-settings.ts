import { z } from 'zod';
import { type OrganisationEvent, organisationCodec } from '../../events/organisation-events.js';
import { uuidV5 } from '../../kernel/uuid-v5.js';
import type { Decider } from '../../stores/event-store/handle.js';

/** Delivery options of a listener. `ratePerSecond` null: the service-wide limit for each listener. */
export type DeliveryOptions = { readonly ordered: boolean; readonly ratePerSecond: number | null };

/** Defaults of an organisation's new listeners, and how its published flow events are checked. */
export type OrganisationSettings = DeliveryOptions & {
  /** Flow events that do not match their declared type are accepted, accepted with a warning, or refused. */
  readonly eventTypeCheck: 'off' | 'warn' | 'refuse';
};

const rateError = { error: 'must be a number from 0.001 to 10000' };

/** Delivery options in requests, for a listener or an organisation; undefined ones stay unchanged. */
export const deliveryOptions = {
  ordered: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe('One delivery at a time, in the order of the flow events.'),
  ratePerSecond: z
    .number(rateError)
    .min(0.001, rateError)
    .max(10_000, rateError)
    .nullable()
    .optional()
    .describe('Maximum deliveries per second; null: the service-wide limit for each listener.'),
};

/** The settings of an organisation in requests; undefined ones stay unchanged. */
export const organisationSettingsRequest = {
  ...deliveryOptions,
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
