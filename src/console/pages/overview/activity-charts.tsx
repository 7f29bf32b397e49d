import { Card } from '../../components/card.js';
import { Chart } from '../../components/chart.js';
import type { Activity } from './figures.js';

type Minute = Activity['minutes'][number];

const minuteSeconds = 60;

/** Rates, failures and latency by minute. The current minute is left out: it has not ended. */
export function ActivityCharts({ activity }: { readonly activity: Activity }) {
  const minutes = activity.minutes.slice(0, -1);
  const times = minutes.map(({ at }) => at);
  const values = (measure: (minute: Minute) => number | null) => minutes.map(measure);
  const rate = (countOf: (minute: Minute) => number) =>
    values((minute) => Math.round((100 * countOf(minute)) / minuteSeconds) / 100);
  return (
    <div class="columns">
      <Card title="Flow events and deliveries">
        <Chart
          title="Per second, last hour"
          unit="/s"
          times={times}
          series={[
            { label: 'Flow events', tone: 'neutral', values: rate(({ events }) => events) },
            { label: 'Deliveries', tone: 'accent', values: rate(({ succeeded }) => succeeded) },
          ]}
        />
      </Card>
      <Card title="Failures">
        <Chart
          title="Per minute, last hour"
          unit="/min"
          kind="bars"
          times={times}
          series={[
            { label: 'Failed attempts', tone: 'warn', values: values(({ failed }) => failed) },
            { label: 'Dead letters', tone: 'bad', values: values(({ exhausted }) => exhausted) },
          ]}
        />
      </Card>
      <Card title="Latency">
        <Chart
          title="From flow event to success at the first attempt, last hour"
          unit="ms"
          times={times}
          series={[
            { label: 'p50', tone: 'accent', values: values(({ latencyMs }) => latencyMs.p50) },
            { label: 'p95', tone: 'warn', values: values(({ latencyMs }) => latencyMs.p95) },
          ]}
        />
      </Card>
      <Card title="Answers of listeners">
        <Chart
          title="Duration of attempts, last hour"
          unit="ms"
          times={times}
          series={[
            { label: 'p50', tone: 'accent', values: values(({ durationMs }) => durationMs.p50) },
            { label: 'p95', tone: 'warn', values: values(({ durationMs }) => durationMs.p95) },
          ]}
        />
      </Card>
    </div>
  );
}
