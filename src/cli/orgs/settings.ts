import type { Command } from 'commander';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import {
  changeOrganisationSettings,
  organisationSettings,
} from '../../listeners/organisations/change-organisation-settings.js';
import { organisationSettingsRequest } from '../../listeners/organisations/organisation-settings.js';
import { contextOf } from '../command-context.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';
import { rateOf } from '../rate-option.js';

type Options = {
  readonly org: string;
  readonly ordered?: boolean;
  readonly rate?: string;
  readonly eventTypes?: string;
};

/** `orgs settings`: an organisation's settings; changed where an option is given. */
export async function settings({ org, ordered, rate, eventTypes }: Options, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const { orgId, eventTypeCheck } = parseOptions(
    { orgId: opaqueId, eventTypeCheck: organisationSettingsRequest.eventTypeCheck },
    { orgId: org, eventTypeCheck: eventTypes },
  );
  const ratePerSecond = rate === undefined ? undefined : rateOf(rate);
  const found = await withStores(async (stores) => {
    const store = await stores.events();
    if (ordered === undefined && ratePerSecond === undefined && eventTypeCheck === undefined) {
      return { settings: await organisationSettings(store, orgId), changed: [] };
    }
    const wanted = { orgId, ordered, ratePerSecond, eventTypeCheck };
    const { state, events } = await changeOrganisationSettings(store, wanted, { cause, now: new Date() });
    return { settings: state, changed: events.map(({ type }) => type) };
  });
  const { settings, changed } = found;
  const order = settings.ordered ? 'in order' : 'in no order';
  const pace = settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
  printResult(
    output,
    { orgId, ...settings, changed },
    `new listeners of ${orgId} get deliveries ${order}, ${pace}; check of event types: ${settings.eventTypeCheck}`,
  );
}
