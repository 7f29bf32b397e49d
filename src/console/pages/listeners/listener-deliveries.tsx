import type { ComponentChildren } from 'preact';
import type { listDeliveriesRoute, showStatsRoute } from '../../../admin/api/contracts/deliveries.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { halfHourMs } from '../../../queue/policy/activity.js';
import { Card, Facts, Id } from '../../../site/components/card.js';
import { Chart } from '../../../site/components/chart.js';
import { Sparkline } from '../../../site/components/sparkline.js';
import { Table } from '../../../site/components/table.js';
import { durationText, numberText } from '../../../site/components/time.js';
import type { PageRequest } from '../../../site/page-request.js';
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
  at: PageRequest;
  orgId: string;
  listenerId: string;
  deliveries: readonly Delivery[];
  hasFailed: boolean;
}) => (
  <Card
    title="Deliveries, failures first"
    actions={
      <>
        {hasFailed && at.may('operator', 'redeliver') && (
          <a class="button primary" href={at.url('/deliveries/redeliver', { orgId, listenerId })}>
            Redeliver failed deliveries
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
      columns={{
        'Flow event': ({ id, eventId }) => <Id value={eventId} href={at.url(`/deliveries/${id}`, { orgId })} />,
        Type: ({ eventType }) => <code>{eventType}</code>,
        State: (delivery) => <DeliveryStateText delivery={delivery} />,
        Attempts: 'attempts',
        Answer: answerText,
        'Last attempt': { show: 'lastAttemptAt', relative: true },
      }}
    />
  </Card>
);

type Stats = RouteAnswer<typeof showStatsRoute>;

const halfHoursOfDay = 48;

/** The attempts of the last 24 hours; `now`: milliseconds since 1970. */
export function LastDay({ halfHours, now }: Pick<Stats, 'halfHours'> & { now: number }) {
  const last = Math.floor(now / halfHourMs);
  const known = new Map(halfHours.map((each) => [Date.parse(each.at) / halfHourMs, each]));
  const counted = (count: (of: Stats['halfHours'][number]) => number) =>
    Array.from({ length: halfHoursOfDay }, (_, index) => {
      const halfHour = known.get(last - halfHoursOfDay + 1 + index);
      return halfHour ? count(halfHour) : 0;
    });
  return (
    <Sparkline
      title="Last 24 hours"
      parts={[
        { tone: 'good', label: 'delivered', values: counted(({ succeeded }) => succeeded) },
        { tone: 'warn', label: 'failed attempts', values: counted(({ failed, exhausted }) => failed - exhausted) },
        { tone: 'bad', label: 'given up', values: counted(({ exhausted }) => exhausted) },
      ]}
    />
  );
}

const dayMs = 86_400_000;

/** The days of the statistics, both included. */
const daysOf = ({ from, to }: Pick<Stats, 'from' | 'to'>): readonly string[] =>
  Array.from({ length: Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1 }, (_, index) =>
    new Date(Date.parse(from) + index * dayMs).toISOString().slice(0, 10),
  );

/** Also the days without an attempt, which the statistics leave out. */
export function AttemptsByDay({ stats, children }: { stats: Stats; children?: ComponentChildren }) {
  const days = daysOf(stats);
  const known = new Map(stats.days.map((day) => [day.day, day]));
  const counts = (of: 'succeeded' | 'failed') => days.map((day) => known.get(day)?.[of] ?? 0);
  return (
    <Card title={`Attempts of the last ${days.length} days`}>
      {children}
      {(known.size > 0 || !children) && (
        <Chart
          title="By day (UTC)"
          unit="attempts"
          kind="stacked"
          times={days.map((day) => `${day}T00:00:00Z`)}
          series={[
            { label: 'Successful', tone: 'good', values: counts('succeeded') },
            { label: 'Failed', tone: 'bad', values: counts('failed') },
          ]}
        />
      )}
    </Card>
  );
}

export const StatsCard = ({ stats }: { stats: Stats }) => (
  <AttemptsByDay stats={stats}>
    <Facts
      facts={{
        Successful: numberText(stats.total.succeeded),
        Failed: numberText(stats.total.failed),
        'Dead letters': numberText(stats.total.exhausted),
        'Average duration': stats.total.durationMs === null ? null : durationText(stats.total.durationMs),
      }}
    />
  </AttemptsByDay>
);
