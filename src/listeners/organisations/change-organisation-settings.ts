import { isDeepStrictEqual } from 'node:util';
import type { OrganisationEvent } from '../../events/organisation-events.js';
import type { Cause } from '../../stores/event-store/codec.js';
import type { EventStore } from '../../stores/event-store/event-store.js';
import { type Handled, handle, load } from '../../stores/event-store/handle.js';
import { type OrganisationSettings, organisationDecider, organisationStream } from './organisation-settings.js';

/** Undefined settings stay unchanged. */
export type ChangeOrganisationSettings = {
  readonly orgId: string;
  readonly ordered?: boolean | undefined;
  readonly ratePerSecond?: number | null | undefined;
  readonly eventTypeCheck?: OrganisationSettings['eventTypeCheck'] | undefined;
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
  context: { readonly cause: Cause; readonly now: Date },
): Promise<Handled<OrganisationSettings, OrganisationEvent>> =>
  handle(
    store,
    organisationStream(command.orgId),
    organisationDecider,
    (settings) => decideOrganisationSettings(command, settings),
    context,
  );
