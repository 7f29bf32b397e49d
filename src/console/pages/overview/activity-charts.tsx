import { Card } from '../../components/card.js';
import { Chart } from '../../components/chart.js';
import type { Activity } from './figures.js';

type Minute = Activity['minutes'][number];

const minuteSeconds = 60;
/** Maximum number in each chart, so that a longer range does not make the page larger. */
const maxPoints = 60;

/** Rates, failures and latency by minute. The current minute is left out: it has not ended. */
export function ActivityCharts({ activity, range }: { activity: Activity; range: string }) {
  const size = Math.ceil(activity.minutes.length / maxPoints);
  const minutes = inSteps(activity.minutes.slice(0, -1), size);
  const times = minutes.map(({ at }) => at);
  const values = (measure: (minute: Minute) => number | null) => minutes.map(measure);
  const rate = (countOf: (minute: Minute) => number) =>
    values((minute) => Math.round((100 * countOf(minute)) / minuteSeconds / size) / 100);
  return (
    <div class="columns">
      <Card title="Flow events and deliveries">
        <Chart
          title={`Per second, last ${range}`}
          unit="/s"
          times={times}
          series={[
            { label: 'Flow events', tone: 'neutral', values: rate(({ events }) => events) },
            { label: 'Deliveries', tone: 'accent', values: rate(({ succeeded }) => succeeded) },
          ]}
        />
      </Card>
      <Card id="failures" title="Failures">
        <Chart
          title={`Per minute, last ${range}`}
          unit="/min"
          kind="bars"
          times={times}
          series={[
            { label: 'Failed attempts', tone: 'warn', values: values(({ failed }) => failed / size) },
            { label: 'Dead letters', tone: 'bad', values: values(({ exhausted }) => exhausted / size) },
          ]}
        />
      </Card>
      <Card id="latency" title="Latency">
        <Chart
          title={`From flow event to success at the first attempt, last ${range}`}
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
          title={`Duration of attempts, last ${range}`}
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

/** Sums of this many minutes each, with the highest percentiles among them. */
function inSteps(minutes: readonly Minute[], size: number): readonly Minute[] {
  if (size <= 1) return minutes;
  const highest = (part: readonly Minute[], of: 'latencyMs' | 'durationMs') => {
    const max = (name: 'p50' | 'p95') => Math.max(...part.map((minute) => minute[of][name] ?? -1));
    const [p50, p95] = [max('p50'), max('p95')];
    return { p50: p50 < 0 ? null : p50, p95: p95 < 0 ? null : p95 };
  };
  const steps = Array.from({ length: Math.floor(minutes.length / size) }, (_, index) =>
    minutes.slice(index * size, (index + 1) * size),
  );
  return steps.map((part) => {
    const sum = (countOf: (minute: Minute) => number) => part.reduce((total, minute) => total + countOf(minute), 0);
    return {
      at: part[0]?.at ?? '',
      events: sum(({ events }) => events),
      succeeded: sum(({ succeeded }) => succeeded),
      failed: sum(({ failed }) => failed),
      exhausted: sum(({ exhausted }) => exhausted),
      latencyMs: highest(part, 'latencyMs'),
      durationMs: highest(part, 'durationMs'),
    };
  });
}
