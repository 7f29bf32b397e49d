import type { Command } from 'commander';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import {
  changeOrganisationSettings,
  organisationSettings,
} from '../../registrations/organisations/change-organisation-settings.js';
import { deliveryOptions } from '../../registrations/organisations/organisation-settings.js';
import { contextOf } from '../command-context.js';
import { UsageError } from '../failure.js';
import { printResult } from '../output.js';
import { parseOptions } from '../parse-options.js';

type Options = { readonly org: string; readonly ordered?: boolean; readonly rate?: string };

/** `orgs settings`: the defaults of an organisation's new registrations; changed where an option is given. */
export async function settings({ org, ordered, rate }: Options, command: Command): Promise<void> {
  const { output, cause, withStores } = contextOf(command);
  const { orgId } = parseOptions({ orgId: opaqueId }, { orgId: org });
  const ratePerSecond = rate === undefined ? undefined : rateOf(rate);
  const found = await withStores(async (stores) => {
    const store = await stores.events();
    if (ordered === undefined && ratePerSecond === undefined) {
      return { settings: await organisationSettings(store, orgId), changed: [] };
    }
    const wanted = { orgId, ordered, ratePerSecond };
    const { state, events } = await changeOrganisationSettings(store, wanted, { cause, now: new Date() });
    return { settings: state, changed: events.map(({ type }) => type) };
  });
  const { settings, changed } = found;
  const order = settings.ordered ? 'in order' : 'in no order';
  const pace = settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
  printResult(output, { orgId, ...settings, changed }, `new hooks of ${orgId} get deliveries ${order}, ${pace}`);
}

/** Null: no rate of their own. Throws `UsageError`. */
function rateOf(text: string): number | null {
  if (text === 'none') return null;
  const rate = deliveryOptions.ratePerSecond.safeParse(text.trim() === '' ? Number.NaN : Number(text));
  if (!rate.success) throw new UsageError(`--rate ${rate.error.issues[0]?.message}, or none`);
  return rate.data ?? null;
}
