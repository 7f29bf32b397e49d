import type { RouteAnswer } from '../../../http/route-contract.js';
import type { listDeliveriesRoute, showStatsRoute } from '../../../operations/api/contracts/deliveries.js';
import { Badge } from '../../components/badge.js';
import { Card } from '../../components/card.js';
import { Chart } from '../../components/chart.js';
import { Facts, Id } from '../../components/facts.js';
import type { Tone } from '../../components/notice.js';
import { Table } from '../../components/table.js';
import { durationText, numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';

type Delivery = RouteAnswer<typeof listDeliveriesRoute>['items'][number];

const tones: Readonly<Record<Delivery['state'], Tone>> = {
  waiting: 'info',
  held: 'warn',
  succeeded: 'good',
  exhausted: 'bad',
  cancelled: 'neutral',
};

/** The latest deliveries to a hook, with a link to all of them. */
export const LatestDeliveries = ({
  at,
  orgId,
  listenerId,
  deliveries,
}: {
  readonly at: PageRequest;
  readonly orgId: string;
  readonly listenerId: string;
  readonly deliveries: readonly Delivery[];
}) => (
  <Card title="Latest deliveries" actions={<a href={at.url('/deliveries', { orgId, listenerId })}>All deliveries</a>}>
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
        { head: 'State', cell: ({ state }) => <Badge tone={tones[state]}>{state}</Badge> },
        { head: 'Attempts', numeric: true, cell: ({ attempts }) => numberText(attempts) },
        { head: 'Answer', cell: ({ lastStatus, lastError }) => lastStatus ?? lastError ?? '–' },
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
          ['Succeeded', numberText(succeeded)],
          ['Failed', numberText(failed)],
          ['Dead letters', numberText(exhausted)],
          ['Average duration', durationMs === null ? null : durationText(durationMs)],
        ]}
      />
      {known.length > 0 && (
        <Chart
          title="Attempts by day (UTC)"
          unit="attempts"
          times={days.map((day) => `${day}T00:00:00Z`)}
          series={[
            { label: 'Succeeded', tone: 'good', values: days.map((day) => byDay.get(day)?.succeeded ?? 0) },
            { label: 'Failed', tone: 'bad', values: days.map((day) => byDay.get(day)?.failed ?? 0) },
          ]}
        />
      )}
    </Card>
  );
}
