import { Card } from '../../../site/components/card.js';
import { Chart, type ChartProps } from '../../../site/components/chart.js';
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
  const percentiles = (of: 'latencyMs' | 'durationMs'): ChartProps['series'] => [
    { label: 'p50', tone: 'accent', values: values((minute) => minute[of].p50) },
    { label: 'p95', tone: 'warn', values: values((minute) => minute[of].p95) },
  ];
  const flow: ChartProps['series'] = [
    { label: 'Flow events', tone: 'neutral', values: rate(({ events }) => events) },
    { label: 'Deliveries', tone: 'accent', values: rate(({ succeeded }) => succeeded) },
  ];
  const failures: ChartProps['series'] = [
    { label: 'Failed attempts', tone: 'warn', values: values(({ failed }) => failed / size) },
    { label: 'Dead letters', tone: 'bad', values: values(({ exhausted }) => exhausted / size) },
  ];
  const latency = 'From flow event to success at the first attempt';
  const chart = (title: string, unit: string, series: ChartProps['series'], kind?: ChartProps['kind']) => (
    <Chart title={`${title}, last ${range}`} unit={unit} times={times} series={series} {...(kind && { kind })} />
  );
  return (
    <div class="columns">
      <Card title="Flow events and deliveries">{chart('Per second', '/s', flow)}</Card>
      <Card id="failures" title="Failures">
        {chart('Per minute', '/min', failures, 'bars')}
      </Card>
      <Card id="latency" title="Latency">
        {chart(latency, 'ms', percentiles('latencyMs'))}
      </Card>
      <Card title="Answers of listeners">{chart('Duration of attempts', 'ms', percentiles('durationMs'))}</Card>
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
