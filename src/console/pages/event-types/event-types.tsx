import { listEventTypesRoute } from '../../../admin/api/contracts/event-types.js';
import { showServiceRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Copyable, Empty } from '../../components/card.js';
import { Pager, Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';
import { changeEventTypePages } from './change-event-type.js';
import { eventTypePage, section, typeHref } from './event-type.js';

type EventType = RouteAnswer<typeof listEventTypesRoute>['items'][number];
type Mismatches = RouteAnswer<typeof showServiceRoute>['eventTypeMismatches'];

const pageSize = 50;

/** `/event-types`: declared types with their versions. */
export const eventTypePages: Subject = (site) => {
  site.get(section, async (at) => {
    const after = at.query.text('after');
    const { items, next } = await at.call(listEventTypesRoute, { query: { limit: String(pageSize), after } });
    const { startedAt, eventTypeMismatches } = await at.call(showServiceRoute, {});
    return {
      title: 'Event types',
      section,
      lead: 'The declared types of flow events. Platforms offer them to choose from, and published flow events are checked against them where the settings of their organisation say so.',
      actions: at.may('operator') && (
        <a class="button primary" href={at.url(`${section}/new`)}>
          Declare an event type
        </a>
      ),
      content: (
        <>
          <EventTypes at={at} types={items} />
          <Pager next={next} />
          <MismatchCard at={at} startedAt={startedAt} mismatches={eventTypeMismatches} />
        </>
      ),
    };
  });
  eventTypePage(site);
  changeEventTypePages(site);
};

const EventTypes = ({ at, types }: { at: PageRequest; types: readonly EventType[] }) => (
  <Table
    caption="Event types"
    rows={types}
    keyOf={({ name }) => name}
    empty={
      <Empty title="No event types">
        <p>
          Flow events of any type can be published. Declare those that users should find on their platforms, here or
          with:
        </p>
        <Copyable
          text={at.commands.cli(
            `types add order.paid --description 'An order was paid' --schema @order-paid.schema.json --example '{"total": 42}'`,
          )}
        />
      </Empty>
    }
    columns={[
      { head: 'Name', cell: ({ name }) => <a href={typeHref(at, name)}>{name}</a> },
      { head: 'Description', wide: true, cell: ({ description }) => description },
      { head: 'Version', numeric: true, cell: ({ version }) => version },
      { head: 'Schema', cell: ({ schema }) => (schema === null ? null : 'yes') },
      { head: 'Example', cell: ({ example }) => (example === null ? null : 'yes') },
    ]}
  />
);

const MismatchCard = ({
  at,
  startedAt,
  mismatches,
}: {
  at: PageRequest;
  startedAt: string;
  mismatches: Mismatches;
}) => (
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
      columns={[
        { head: 'Type', cell: ({ type }) => <a href={typeHref(at, type)}>{type}</a> },
        { head: 'Accepted with a warning', numeric: true, cell: ({ warned }) => numberText(warned) },
        { head: 'Refused', numeric: true, cell: ({ refused }) => numberText(refused) },
        { head: 'Last reason', wide: true, cell: ({ lastReason }) => lastReason },
        { head: 'Last', cell: ({ lastAt }) => <Time at={lastAt} relative /> },
      ]}
    />
    {mismatches.length > 0 && (
      <p class="muted">
        Published at this instance since it started, <Time at={startedAt} relative />. The metric{' '}
        <code>flow_hooks_event_type_mismatches_total</code> counts at every instance.
      </p>
    )}
  </Card>
);
