import type { countDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import type { showActivityRoute } from '../../../admin/api/contracts/service.js';
import type { listViewsRoute } from '../../../admin/api/contracts/views.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Stats } from '../../../site/components/card.js';
import { durationText, numberText, rateText } from '../../../site/components/time.js';
import type { Tone } from '../../../site/components/tone.js';
import type { PageRequest } from '../../../site/page-request.js';

export type Activity = RouteAnswer<typeof showActivityRoute>;
type Minute = Activity['minutes'][number];
type View = RouteAnswer<typeof listViewsRoute>['items'][number];

export type FiguresProps = {
  at: Pick<PageRequest, 'url' | 'now'>;
  activity: Activity;
  counts: RouteAnswer<typeof countDeliveriesRoute>;
  views: readonly View[];
  listenersInTrouble: number;
  /** Listeners paused by operators, and because they failed. */
  paused: readonly [byOperators: number, failing: number];
  /** Range of the totals, such as `1 h`. */
  range: string;
  /** The charts of the same figures are below. */
  hasCharts: boolean;
};

const minuteSeconds = 60;
/** Retries come seconds to hours after the first attempt; a delivery that waits longer for a worker is late. */
const lateMs = 60_000;

/** The figures of the last whole minute, of the last hour, and of the queue. */
export function Figures({
  at,
  activity: { total, minutes },
  range,
  counts,
  views,
  hasCharts,
  ...listeners
}: FiguresProps) {
  const { listenersInTrouble, paused } = listeners;
  const inRange = (count: number) => `${numberText(count)} in ${range}`;
  const last = minutes.at(-2) ?? minutes.at(-1);
  const perSecond = (countOf: (minute: Minute) => number) => (last ? rateText(countOf(last) / minuteSeconds) : '–');
  const oldestMs =
    counts.oldestDueAt === null ? undefined : Math.max(0, at.now.getTime() - Date.parse(counts.oldestDueAt));
  const stopped = views.filter(({ error }) => error !== null).length;
  return (
    <Stats
      stats={[
        {
          label: 'Flow events',
          value: `${perSecond(({ events }) => events)}/s`,
          note: inRange(total.events),
          href: at.url('/flow-events'),
        },
        {
          label: 'Deliveries',
          value: `${perSecond(({ succeeded }) => succeeded)}/s`,
          note: inRange(total.succeeded),
          href: at.url('/deliveries'),
        },
        { label: 'Success rate', ...successRate(total, range), href: hasCharts ? '#failures' : undefined },
        {
          label: 'Latency, p95',
          href: hasCharts ? '#latency' : undefined,
          value: ms(total.latencyMs.p95),
          note: `p50 ${ms(total.latencyMs.p50)}`,
        },
        {
          label: 'Waiting deliveries',
          value: numberText(counts.waiting),
          note: [
            oldestMs === undefined ? 'none is overdue' : `oldest due ${durationText(oldestMs)} ago`,
            `${numberText(counts.held)} held`,
            `${numberText(counts.exhausted)} dead letters`,
          ].join(', '),
          href: at.url('/deliveries'),
          tone: oldestMs !== undefined && oldestMs > lateMs ? 'warn' : undefined,
        },
        {
          label: 'Listeners in trouble',
          value: numberText(listenersInTrouble),
          note: `${numberText(paused[1])} paused while failing`,
          href: at.url('/listeners', { state: 'troubled' }),
          tone: listenersInTrouble > 0 ? 'bad' : undefined,
        },
        {
          label: 'Paused listeners',
          value: numberText(paused[0]),
          note: 'by operators',
          href: at.url('/listeners', { state: 'paused' }),
        },
        { label: 'Lag of the views', ...lag(views, stopped), href: at.url('/views') },
      ]}
    />
  );
}

const ms = (value: number | null): string => (value === null ? '–' : durationText(value));

/** Success rate of attempts. */
function successRate({ succeeded, failed }: Activity['total'], range: string) {
  const attempts = succeeded + failed;
  if (attempts === 0) return { value: '–', note: `no attempt in ${range}` };
  const percent = (100 * succeeded) / attempts;
  const tone: Tone = percent >= 99 ? 'good' : percent >= 90 ? 'warn' : 'bad';
  // 99.99 % of many must not look like all.
  const text = failed === 0 ? '100' : (Math.floor(percent * 10) / 10).toFixed(1);
  return { value: `${text} %`, note: `${numberText(failed)} failed in ${range}`, tone };
}

function lag(views: readonly View[], stopped: number) {
  if (stopped > 0) return { value: `${stopped} stopped`, note: 'of the views', tone: 'bad' as const };
  const seconds = Math.max(0, ...views.map((view) => view.lag?.seconds ?? 0));
  const events = Math.max(0, ...views.map((view) => view.lag?.events ?? 0));
  return {
    value: seconds === 0 ? 'None' : durationText(seconds * 1_000),
    note: events === 0 ? 'up to date' : `up to ${numberText(events)} events`,
    tone: seconds > 30 ? ('warn' as const) : undefined,
  };
}
