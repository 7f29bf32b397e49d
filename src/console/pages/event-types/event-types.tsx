import { listEventTypesRoute } from '../../../admin/api/contracts/event-types.js';
import { showServiceRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card } from '../../../site/components/card.js';
import { Table } from '../../../site/components/table.js';
import { Time } from '../../../site/components/time.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Subject } from '../../../site/page-view.js';
import { eventTypePage, typeHref } from './event-type.js';

/** `/event-types`: declared types with their versions. */
export const eventTypePages: Subject = (site) => {
  const { declare } = eventTypePage(site);
  routeList(site, '/event-types', listEventTypesRoute, {
    title: 'Event types',
    lead: 'The declared types of flow events. Platforms offer them to choose from, and published flow events are checked against them where the settings of their organisation say so.',
    keyOf: ({ name }) => name,
    actions: (at) => declare.button(at),
    columns: (at) => ({
      Name: ({ name }) => <a href={typeHref(at, name)}>{name}</a>,
      Description: { show: 'description', wide: true },
      Version: 'version',
      Schema: ({ schema }) => (schema === null ? null : 'yes'),
      Example: ({ example }) => (example === null ? null : 'yes'),
    }),
    empty: {
      title: 'No event types',
      text: 'Flow events of any type can be published. Declare those that users should find on their platforms, here or with:',
      command: `types add order.paid --description 'An order was paid' --schema @order-paid.schema.json --example '{"total": 42}'`,
    },
    below: async (at) => <MismatchCard at={at} {...(await at.call(showServiceRoute, {}))} />,
  });
};

type MismatchProps = { at: PageRequest } & Pick<
  RouteAnswer<typeof showServiceRoute>,
  'startedAt' | 'eventTypeMismatches'
>;

const MismatchCard = ({ at, startedAt, eventTypeMismatches: mismatches }: MismatchProps) => (
  <Card title="Flow events that did not match">
    <Table
      caption="Flow events that did not match their type"
      rows={mismatches}
      keyOf={({ type }) => type}
      empty={
        <p class="muted">
          None at this instance since it started, <Time at={startedAt} relative />.
        </p>
      }
      columns={{
        Type: ({ type }) => <a href={typeHref(at, type)}>{type}</a>,
        'Accepted with a warning': 'warned',
        Refused: 'refused',
        'Last reason': { show: 'lastReason', wide: true },
        Last: { show: 'lastAt', relative: true },
      }}
    />
    {mismatches.length > 0 && (
      <p class="muted">
        Published at this instance since it started, <Time at={startedAt} relative />. The metric{' '}
        <code>flow_hooks_event_type_mismatches_total</code> counts at every instance.
      </p>
    )}
  </Card>
);
