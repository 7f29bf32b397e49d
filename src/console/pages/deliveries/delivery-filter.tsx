import { Field } from '../../../site/components/form.js';
import { Period } from '../../../site/components/period.js';
import type { FormFields } from '../../../site/derived/route-fields.js';
import { filterOf as fieldsOf } from '../../../site/derived/route-list.js';
import type { PageRequest } from '../../../site/page-request.js';
import { organisationField } from '../organisation.js';
import { type DeliveryState, stateTexts } from './delivery-state.js';

export type DeliveryOrder = 'last-attempt' | undefined;

export const orderOf = (at: PageRequest): DeliveryOrder =>
  at.query.text('order') === 'last-attempt' ? 'last-attempt' : undefined;

/** Fields of the filter as texts for people, but for the state. */
const labels = {
  listenerId: 'listener',
  eventId: 'flow event',
  replay: 'replay',
  type: 'type',
  error: 'last error',
  from: 'enqueued from (UTC)',
  to: 'enqueued until (UTC)',
} as const;

/** The filter of a page of deliveries as its URL has it. */
export const filterOf = (at: PageRequest): Readonly<Record<string, string>> =>
  at.query.pick('state', ...Object.keys(labels));

/** The filter as the API takes it, for an organisation. */
export const deliveryQuery = (at: PageRequest, orgId: string) =>
  ({ orgId, ...fieldsOf(at, ['state', ...Object.keys(labels)]) }) as { orgId: string; state?: DeliveryState }; // the API checks what the query names

/** The filter, but for the state, as texts for people, such as `type flow.*`. */
export function filterTexts(at: PageRequest): readonly string[] {
  const filter = filterOf(at);
  return Object.entries(labels).flatMap(([name, label]) =>
    filter[name] === undefined ? [] : [`${label} ${filter[name]}`],
  );
}

export const deliveryFilters: FormFields<undefined> = {
  orgId: organisationField(),
  state: { label: 'State', choices: stateTexts },
  type: { label: 'Type', placeholder: 'flow.*' },
  eventId: { label: 'Flow event', placeholder: 'ID' },
  listenerId: { label: 'Listener', placeholder: 'ID' },
  error: { label: 'Last error', placeholder: '503, timeout' },
  order: { label: 'First', choices: { '': 'Latest flow event', 'last-attempt': 'Last attempt' } },
  from: () => <Period />,
  to: () => null,
  replay: ({ query }) => query.text('replay') !== undefined && <Field label="Replay" name="replay" />,
};
