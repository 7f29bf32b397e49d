import { countDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { searchListenersRoute } from '../../../admin/api/contracts/listener-queries.js';
import {
  listListenersInTroubleRoute,
  showActivityRoute,
  showServiceRoute,
} from '../../../admin/api/contracts/service.js';
import { listViewsRoute } from '../../../admin/api/contracts/views.js';
import type { PartStatus } from '../../../http/health.js';
import { Card, Copyable, Empty, Tabs } from '../../../site/components/card.js';
import { upperFirst } from '../../../site/components/time.js';
import { Notice } from '../../../site/components/tone.js';
import { livePage } from '../../../site/derived/live-page.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Subject } from '../../../site/page-view.js';
import { ActivityCharts } from './activity-charts.js';
import { Figures } from './figures.js';
import { ListenersInTrouble } from './listeners-in-trouble.js';

const shownListeners = 20;
/** Maximum number of listeners that are counted. */
const maxListeners = '1000';
const maxPaused = 200;

/** Ranges of the charts, in minutes. */
const ranges = [
  ['60', '1 h'],
  ['360', '6 h'],
  ['1440', '24 h'],
] as const;

const rangeOf = ({ query }: PageRequest) => ranges.find(([minutes]) => minutes === query.text('minutes')) ?? ranges[0];

/** `/`: failures with the listeners concerned and their beginnings; then activity. */
export const overviewPages: Subject = (site) =>
  livePage(site, '/', {
    everyMs: 5_000,
    async parts(at) {
      const [minutes, range] = rangeOf(at);
      const countPaused = async (state: 'paused' | 'paused-failing') =>
        (await at.call(searchListenersRoute, { body: { state, limit: maxPaused } })).items.length;
      const [{ parts }, activity, counts, { items: listeners }, { items: views }, paused] = await Promise.all([
        at.call(showServiceRoute, {}),
        at.call(showActivityRoute, { query: { minutes } }),
        at.call(countDeliveriesRoute, {}),
        at.call(listListenersInTroubleRoute, { query: { limit: maxListeners } }),
        at.call(listViewsRoute, {}),
        Promise.all([countPaused('paused'), countPaused('paused-failing')]),
      ]);
      const { waiting, held, succeeded, exhausted, cancelled, setAside } = counts;
      const isUnused = activity.total.events + waiting + held + succeeded + exhausted + cancelled + setAside === 0;
      return {
        readiness: <NotReady at={at} parts={parts} />,
        trouble: <ListenersInTrouble at={at} listeners={listeners} max={shownListeners} />,
        figures: (
          <Figures
            at={at}
            activity={activity}
            range={range}
            counts={counts}
            views={views}
            listenersInTrouble={listeners.length}
            paused={paused}
            hasCharts={!isUnused}
          />
        ),
        charts: isUnused ? <FirstSteps at={at} /> : <ActivityCharts activity={activity} range={range} />,
      };
    },
    shows(at, part) {
      const [current] = rangeOf(at);
      return {
        title: 'Overview',
        section: '/',
        lead: 'All organisations and instances together.',
        content: (
          <>
            {part('readiness')}
            {part('trouble')}
            {part('figures')}
            <Tabs
              label="Range of the charts"
              tabs={ranges.map(([minutes, text]) => ({
                text,
                href: at.here({ minutes }),
                current: minutes === current,
              }))}
            />
            {part('charts')}
          </>
        ),
      };
    },
  });

/** Names the parts that do not work, and why. */
const NotReady = ({ at, parts }: { at: PageRequest; parts: readonly PartStatus[] }) => (
  <>
    {parts
      .filter(({ ready }) => !ready)
      .map(({ part, reason, required }) => (
        <Notice key={part} tone={required === false ? 'warn' : 'bad'}>
          <a href={at.url('/health')}>{upperFirst(part)}</a> is not ready: {reason}
        </Notice>
      ))}
  </>
);

const FirstSteps = ({ at }: { at: PageRequest }) => (
  <Card title="The last hour">
    <Empty title="No flow event has been published yet">
      <p>
        Platforms register listeners for an organisation, and producers publish flow events; each is then delivered to
        the listeners that match. Publish one on the page <a href={at.url('/flow-events')}>Flow events</a>, or with the
        command line:
      </p>
      <Copyable text={at.commands.cli('flows publish --org acme --type flow.completed')} />
    </Empty>
  </Card>
);
