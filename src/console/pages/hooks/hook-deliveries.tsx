import type { RouteAnswer } from '../../../http/route-contract.js';
import type { listDeliveriesRoute, showStatsRoute } from '../../../operations/api/contracts/deliveries.js';
import { Badge } from '../../components/badge.js';
import { Card, Stats } from '../../components/card.js';
import { Chart } from '../../components/chart.js';
import { Id } from '../../components/facts.js';
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

/** The attempts of the last days. */
export const StatsCard = ({ stats: { total, days } }: { readonly stats: RouteAnswer<typeof showStatsRoute> }) => (
  <Card title="Attempts of the last 14 days">
    <Stats
      stats={[
        { label: 'Succeeded', value: numberText(total.succeeded), tone: 'good' },
        { label: 'Failed', value: numberText(total.failed), ...(total.failed > 0 && { tone: 'bad' as const }) },
        { label: 'Dead letters', value: numberText(total.exhausted) },
        { label: 'Average duration', value: total.durationMs === null ? '–' : durationText(total.durationMs) },
      ]}
    />
    {days.length > 0 && (
      <Chart
        title="Attempts by day"
        unit="attempts"
        kind="bars"
        times={days.map(({ day }) => `${day}T00:00:00Z`)}
        series={[
          { label: 'Succeeded', tone: 'good', values: days.map(({ succeeded }) => succeeded) },
          { label: 'Failed', tone: 'bad', values: days.map(({ failed }) => failed) },
        ]}
      />
    )}
  </Card>
);
