import { opaqueId } from '../../kernel/input/texts.js';
import {
  changeOrganisationSettings,
  organisationSettings,
  organisationSettingsRequest,
} from '../../listeners/organisation-settings.js';
import type { CommandContext } from '../context.js';
import { printResult } from '../output.js';
import { parseOptions, parseRate } from '../parse-options.js';

type Options = { readonly ordered?: boolean; readonly rate?: string };

const { eventTypeCheck } = organisationSettingsRequest;

export async function settings(options: Options, { output, causeNow, withEventStore }: CommandContext): Promise<void> {
  const { ordered } = options;
  const { orgId, ...check } = parseOptions({ orgId: opaqueId, eventTypeCheck }, options);
  const wanted = { orgId, ordered, ratePerSecond: parseRate(options.rate), ...check };
  const isChange = [ordered, wanted.ratePerSecond, check.eventTypeCheck].some((value) => value !== undefined);
  const { settings, changed } = await withEventStore(async (store) => {
    if (!isChange) return { settings: await organisationSettings(store, orgId), changed: [] };
    const { state, events } = await changeOrganisationSettings(store, wanted, causeNow());
    return { settings: state, changed: events.map(({ type }) => type) };
  });
  const order = settings.ordered ? 'in order' : 'in no order';
  const pace = settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
  printResult(
    output,
    { orgId, ...settings, changed },
    `new listeners of ${orgId} get deliveries ${order}, ${pace}; check of event types: ${settings.eventTypeCheck}`,
  );
}
