import {
  changeOrganisationSettingsRoute,
  showOrganisationSettingsRoute,
} from '../../admin/api/contracts/organisations.js';
import type { CommandContext } from '../context.js';
import { printResult } from '../output.js';
import { parseRate } from '../parse-options.js';

type Options = {
  org: string;
  ordered?: boolean;
  rate?: string;
  eventTypes?: string;
};

export async function settings({ rate, ...options }: Options, { output, call }: CommandContext): Promise<void> {
  const request = { ...options, ratePerSecond: parseRate(rate) };
  const isChange = [options.ordered, rate, options.eventTypes].some((value) => value !== undefined);
  const settings = isChange
    ? await call(changeOrganisationSettingsRoute, request)
    : { ...(await call(showOrganisationSettingsRoute, options)), changed: [] };
  const order = settings.ordered ? 'in order' : 'in no order';
  const pace = settings.ratePerSecond === null ? 'no rate of their own' : `at most ${settings.ratePerSecond} a second`;
  const check = `check of event types: ${settings.eventTypeCheck}`;
  printResult(output, settings, `new listeners of ${settings.orgId} get deliveries ${order}, ${pace}; ${check}`);
}
