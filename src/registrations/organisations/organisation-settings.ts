import { z } from 'zod';
import { type OrganisationEvent, organisationCodec } from '../../events/organisation-events.js';
import { uuidV5 } from '../../kernel/uuid-v5.js';
import type { Lifecycle } from '../../stores/event-store/handle.js';

/** How deliveries to a hook go. `ratePerSecond` null: what holds for every hook. */
export type DeliveryOptions = { readonly ordered: boolean; readonly ratePerSecond: number | null };

/** What an organisation's new registrations get where they say nothing of their own. */
export type OrganisationSettings = DeliveryOptions;

const aRate = { error: 'must be a number from 0.001 to 10000' };

/** What of them callers may name, of a hook as of an organisation: what is left out stays what it is. */
export const deliveryOptions = {
  ordered: z
    .boolean({ error: 'must be true or false' })
    .optional()
    .describe('One delivery at a time, in the order of the flow events.'),
  ratePerSecond: z
    .number(aRate)
    .min(0.001, aRate)
    .max(10_000, aRate)
    .nullable()
    .optional()
    .describe('The most deliveries a second; null: what holds for every hook.'),
};

export const organisationLifecycle: Lifecycle<OrganisationSettings, OrganisationEvent> = {
  codec: organisationCodec,
  initialState: () => ({ ordered: false, ratePerSecond: null }),
  evolve: (_, { data: { ordered, ratePerSecond } }) => ({ ordered, ratePerSecond }),
};

/** Permanent: the names of streams are made of it. */
const streamId = uuidV5('066b2bb9-954a-475a-9465-4e045592167e');

export const organisationStream = (orgId: string): string => `organisation-${streamId(orgId)}`;
