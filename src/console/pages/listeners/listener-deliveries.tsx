import type { listDeliveriesRoute, showStatsRoute } from '../../../admin/api/contracts/deliveries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Facts, Id } from '../../components/card.js';
import { Chart } from '../../components/chart.js';
import { Table } from '../../components/table.js';
import { durationText, numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import { answerText, DeliveryStateText } from '../deliveries/delivery-state.js';

type Delivery = RouteAnswer<typeof listDeliveriesRoute>['items'][number];

/** The latest deliveries to a listener, with a link to all of them. */
export const LatestDeliveries = ({
  at,
  orgId,
  listenerId,
  deliveries,
  hasFailed,
}: {
  readonly at: PageRequest;
  readonly orgId: string;
  readonly listenerId: string;
  readonly deliveries: readonly Delivery[];
  readonly hasFailed: boolean;
}) => (
  <Card
    title="Deliveries, failures first"
    actions={
      <>
        {hasFailed && at.may('operator') && (
          <a class="button primary" href={at.url('/deliveries/redeliver', { orgId, listenerId })}>
            Send again what failed
          </a>
        )}
        <a href={at.url('/deliveries', { orgId, listenerId })}>All deliveries</a>
      </>
    }
  >
    <Table
      caption="Latest deliveries"
      rows={deliveries}
      keyOf={({ id }) => id}
      empty={<p class="muted">Nothing has been sent to it yet.</p>}
      columns={[
        {
          head: 'Flow event',
          cell: ({ id, eventId }) => <Id value={eventId} href={at.url(`/deliveries/${id}`, { orgId })} />,
        },
        { head: 'Type', cell: ({ eventType }) => <code>{eventType}</code> },
        { head: 'State', cell: (delivery) => <DeliveryStateText delivery={delivery} /> },
        { head: 'Attempts', numeric: true, cell: ({ attempts }) => numberText(attempts) },
        { head: 'Answer', cell: answerText },
        {
          head: 'Last attempt',
          cell: ({ lastAttemptAt }) => (lastAttemptAt === null ? '–' : <Time at={lastAttemptAt} relative />),
        },
      ]}
    />
  </Card>
);

type Stats = RouteAnswer<typeof showStatsRoute>;

/** The attempts of these days, also those without attempts. */
export function StatsCard({
  stats: { total, days: known },
  days,
}: {
  readonly stats: Stats;
  readonly days: readonly string[];
}) {
  const byDay = new Map(known.map((day) => [day.day, day]));
  const { succeeded, failed, exhausted, durationMs } = total;
  return (
    <Card title={`Attempts of the last ${days.length} days`}>
      <Facts
        facts={[
          ['Successful', numberText(succeeded)],
          ['Failed', numberText(failed)],
          ['Dead letters', numberText(exhausted)],
          ['Average duration', durationMs === null ? null : durationText(durationMs)],
        ]}
      />
      {known.length > 0 && (
        <Chart
          title="By day (UTC)"
          unit="attempts"
          kind="stacked"
          times={days.map((day) => `${day}T00:00:00Z`)}
          series={[
            { label: 'Successful', tone: 'good', values: days.map((day) => byDay.get(day)?.succeeded ?? 0) },
            { label: 'Failed', tone: 'bad', values: days.map((day) => byDay.get(day)?.failed ?? 0) },
          ]}
        />
      )}
    </Card>
  );
}
