import type { showOrganisationSettingsRoute } from '../../admin/api/contracts/organisations.js';
import type { RouteAnswer } from '../../http/route-contract.js';

type EventTypeCheck = RouteAnswer<typeof showOrganisationSettingsRoute>['eventTypeCheck'];

/** Treatment of published flow events that do not match their declared type. */
export const eventTypeChecks: Readonly<Record<EventTypeCheck, string>> = {
  off: 'Off: they are accepted',
  warn: 'Warn: they are accepted, with a warning in the answer',
  refuse: 'Refuse: answered 400, and not recorded',
};

export const isEventTypeCheck = (text: string | undefined): text is EventTypeCheck =>
  text !== undefined && Object.hasOwn(eventTypeChecks, text);
