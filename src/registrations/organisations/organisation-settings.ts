import { z } from 'zod';
import { type OrganisationEvent, organisationCodec } from '../../events/organisation-events.js';
import { uuidV5 } from '../../kernel/uuid-v5.js';
import type { Lifecycle } from '../../stores/event-store/handle.js';

/** Delivery options of a hook. `ratePerSecond` null: the service-wide limit for each hook. */
export type DeliveryOptions = { readonly ordered: boolean; readonly ratePerSecond: number | null };

/** Defaults of an organisation's new registrations. */
export type OrganisationSettings = DeliveryOptions;

const rateError = { error: 'must be a number from 0.001 to 10000' };

/** Delivery options in requests, for a hook or an organisation; undefined ones stay unchanged. */
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
    .describe('Maximum deliveries per second; null: the service-wide limit for each hook.'),
};

export const organisationLifecycle: Lifecycle<OrganisationSettings, OrganisationEvent> = {
  codec: organisationCodec,
  initialState: () => ({ ordered: false, ratePerSecond: null }),
  evolve: (_, { data: { ordered, ratePerSecond } }) => ({ ordered, ratePerSecond }),
};

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('066b2bb9-954a-475a-9465-4e045592167e');

export const organisationStream = (orgId: string): string => `organisation-${streamId(orgId)}`;
