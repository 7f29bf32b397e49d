import { deliveryStates } from '../../../deliveries/queue/delivery.js';
import { Field, FilterBar } from '../../components/form.js';
import { Period } from '../../components/period.js';
import { utcInstant } from '../../fields.js';
import type { PageRequest } from '../../page-request.js';
import { OrganisationField } from '../organisation.js';
import { type DeliveryState, stateTexts } from './delivery-state.js';

const names = ['state', 'listenerId', 'eventId', 'replay', 'type', 'error', 'from', 'to'] as const;

const lastAttempt = 'last-attempt';

export type DeliveryOrder = typeof lastAttempt | undefined;

export const orderOf = (at: PageRequest): DeliveryOrder =>
  at.query.text('order') === lastAttempt ? lastAttempt : undefined;

/** The filter of a page of deliveries as its URL has it. */
export const filterOf = (at: PageRequest): Readonly<Record<string, string>> => at.query.pick(...names);

/** The filter as the API takes it, for an organisation. */
export function deliveryQuery(at: PageRequest, orgId: string) {
  const { from, to, ...filter } = filterOf(at);
  return {
    orgId,
    ...filter,
    from: utcInstant(from),
    to: utcInstant(to),
  } as { orgId: string; state?: DeliveryState }; // the API checks what the query names
}

/** The filter, but for the state, as texts for people, such as `type flow.*`. */
export function filterTexts(at: PageRequest): readonly string[] {
  const labels: Readonly<Record<string, string>> = {
    listenerId: 'listener',
    eventId: 'flow event',
    replay: 'replay',
    type: 'type',
    error: 'last error',
    from: 'enqueued from (UTC)',
    to: 'enqueued until (UTC)',
  };
  const filter = filterOf(at);
  return Object.entries(labels).flatMap(([name, label]) =>
    filter[name] === undefined ? [] : [`${label} ${filter[name]}`],
  );
}

const stateOptions = [
  { value: '', text: 'All' },
  ...deliveryStates.map((state) => ({ value: state, text: stateTexts[state] })),
];

const orderOptions = [
  { value: '', text: 'Latest flow event' },
  { value: lastAttempt, text: 'Last attempt' },
];

export function DeliveryFilter({ at }: { at: PageRequest }) {
  const filter = filterOf(at);
  return (
    <FilterBar keep={['orgId']}>
      <OrganisationField at={at} />
      <Field label="State" name="state" options={stateOptions} />
      <Field label="Type" name="type" placeholder="flow.*" />
      <Field label="Flow event" name="eventId" placeholder="ID" />
      <Field label="Listener" name="listenerId" placeholder="ID" />
      <Field label="Last error" name="error" placeholder="503, timeout" />
      <Field label="First" name="order" options={orderOptions} />
      <Period />
      {filter.replay !== undefined && <Field label="Replay" name="replay" />}
    </FilterBar>
  );
}
