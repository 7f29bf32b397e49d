import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type OrganisationEvent, organisationCodec } from '../events/organisation-events.js';
import { uuidV5 } from '../kernel/uuid.js';
import type { Cause } from '../stores/event-store/codec.js';
import type { EventStore } from '../stores/event-store/event-store.js';
import { type Decider, type Handled, handle, load } from '../stores/event-store/handle.js';
import type { DeliveryOptions } from './changed-subscription.js';
import { deliveryOptionsRequest } from './subscription.js';

/** Defaults of an organisation's new listeners, and how its published flow events are checked. */
export type OrganisationSettings = DeliveryOptions & {
  /** Flow events that do not match their declared type are accepted, accepted with a warning, or refused. */
  eventTypeCheck: 'off' | 'warn' | 'refuse';
};

/** The settings of an organisation in requests; undefined ones stay unchanged. */
export const organisationSettingsRequest = {
  ...deliveryOptionsRequest,
  eventTypeCheck: z
    .enum(['off', 'warn', 'refuse'], { error: 'must be off, warn or refuse' })
    .optional()
    .describe('The check of published flow events against their declared types.'),
};

export const organisationDecider: Decider<OrganisationSettings, OrganisationEvent> = {
  codec: organisationCodec,
  initialState: () => ({ ordered: false, ratePerSecond: null, eventTypeCheck: 'off' }),
  evolve: (_, { data: { ordered, ratePerSecond, eventTypeCheck } }) => ({ ordered, ratePerSecond, eventTypeCheck }),
};

/** Permanent: stream names are derived with it. */
const streamId = uuidV5('066b2bb9-954a-475a-9465-4e045592167e');

export const organisationStream = (orgId: string): string => `organisation-${streamId(orgId)}`;

/** Undefined settings stay unchanged. */
export type ChangeOrganisationSettings = {
  orgId: string;
  ordered?: boolean;
  ratePerSecond?: number | null;
  eventTypeCheck?: OrganisationSettings['eventTypeCheck'];
};

/** Changes the settings; existing listeners do not change. Returns no event if nothing changes. */
export function decideOrganisationSettings(
  { orgId, ordered, ratePerSecond, eventTypeCheck }: ChangeOrganisationSettings,
  settings: OrganisationSettings,
): OrganisationEvent[] {
  const requested: OrganisationSettings = {
    ordered: ordered ?? settings.ordered,
    ratePerSecond: ratePerSecond === undefined ? settings.ratePerSecond : ratePerSecond,
    eventTypeCheck: eventTypeCheck ?? settings.eventTypeCheck,
  };
  return isDeepStrictEqual(requested, settings)
    ? []
    : [{ type: 'OrganisationSettingsChanged', data: { orgId, ...requested } }];
}

/** Reads the settings of an organisation. Throws the store's errors. */
export const organisationSettings = async (store: EventStore, orgId: string): Promise<OrganisationSettings> =>
  (await load(store, organisationStream(orgId), organisationDecider)).state;

/** Changes an organisation's settings. Throws the errors of `handle`. */
export const changeOrganisationSettings = (
  store: EventStore,
  command: ChangeOrganisationSettings,
  context: { cause: Cause; now: Date },
): Promise<Handled<OrganisationSettings, OrganisationEvent>> =>
  handle(
    store,
    organisationStream(command.orgId),
    organisationDecider,
    (settings) => decideOrganisationSettings(command, settings),
    context,
  );
