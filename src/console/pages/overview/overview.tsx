import { countDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { listProjectionsRoute } from '../../../admin/api/contracts/projections.js';
import { listListenersInTroubleRoute, showActivityRoute } from '../../../admin/api/contracts/service.js';
import { Card, Copyable, Empty } from '../../components/card.js';
import type { PageRequest } from '../../page-request.js';
import type { Subject } from '../../page-view.js';
import { ActivityCharts } from './activity-charts.js';
import { Figures } from './figures.js';
import { ListenersInTrouble } from './listeners-in-trouble.js';

const maxListeners = 20;

/** `/`: what the service does now, what it did in the last hour, and what needs an operator. */
export const overviewPages: Subject = (site) => {
  const live = site.live('/', {
    everyMs: 5_000,
    async parts(at) {
      const [activity, counts, { items: listeners }, { items: views }] = await Promise.all([
        at.call(showActivityRoute, { query: { minutes: '60' } }),
        at.call(countDeliveriesRoute, {}),
        at.call(listListenersInTroubleRoute, { query: { limit: String(maxListeners) } }),
        at.call(listProjectionsRoute, {}),
      ]);
      const isUnused = activity.total.events === 0 && Object.values(counts).every((count) => !count);
      return {
        figures: (
          <Figures at={at} activity={activity} counts={counts} views={views} listenersInTrouble={listeners.length} />
        ),
        trouble: <ListenersInTrouble at={at} listeners={listeners} max={maxListeners} />,
        charts: isUnused ? <FirstSteps at={at} /> : <ActivityCharts activity={activity} />,
      };
    },
  });

  site.get('/', async (at) => {
    const parts = await live(at);
    return {
      title: 'Overview',
      section: '/',
      lead: 'All organisations and instances together.',
      live: parts,
      content: (
        <>
          {parts.part('figures')}
          {parts.part('charts')}
          {parts.part('trouble')}
        </>
      ),
    };
  });
};

const FirstSteps = ({ at }: { readonly at: PageRequest }) => (
  <Card title="The last hour">
    <Empty title="No flow event has been published yet">
      <p>
        Platforms register listeners for an organisation, and producers publish flow events; each is then delivered to
        the listeners that match. Publish one on the page <a href={at.url('/flow-events')}>Flow events</a>, or with the
        command line:
      </p>
      <Copyable text="npx flow-hooks flows publish --org acme --type flow.completed" />
    </Empty>
  </Card>
);
