import type { RouteAnswer } from '../../http/route-contract.js';
import { showStatsRoute } from '../../operations/api/contracts/deliveries.js';
import { listListenersRoute } from '../../operations/api/contracts/listeners.js';
import { showOrganisationSettingsRoute } from '../../operations/api/contracts/organisations.js';
import { Card, Command, Empty, type Stat, Stats } from '../components/card.js';
import { Chart } from '../components/chart.js';
import { Facts } from '../components/facts.js';
import { numberText } from '../components/time.js';
import type { PageRequest } from '../page-request.js';
import type { Subject } from '../page-view.js';

/** Hooks beyond these are not counted. */
const maxHooks = 1_000;

/** `/`: hooks, attempts and settings of the customer's organisation. */
export const portalOverviewPages = (): Subject => (site) => {
  const live = site.live('/', {
    everyMs: 10_000,
    onAppended: true,
    async parts(at) {
      const orgId = organisationOf(at);
      const stats = await at.call(showStatsRoute, { query: { orgId } });
      const hooks = await at.call(listListenersRoute, { query: { orgId, limit: String(maxHooks) } });
      return {
        figures: <Stats stats={figures(at, stats.total, hooks.items)} />,
        attempts: hooks.items.length === 0 && stats.total.attempts === 0 ? <NoHooks /> : <Attempts days={stats.days} />,
      };
    },
  });

  site.get('/', async (at) => {
    const parts = await live(at);
    const settings = await at.call(showOrganisationSettingsRoute, { query: { orgId: organisationOf(at) } });
    return {
      title: 'Overview',
      section: '/',
      lead: <>The hooks of {settings.orgId}, and what they received in the last 30 days.</>,
      live: parts,
      content: (
        <>
          {parts.part('figures')}
          {parts.part('attempts')}
          <Card title="Defaults of new hooks">
            <Facts
              facts={[
                ['Order', settings.ordered ? 'One delivery at a time, in order' : 'Several deliveries at a time'],
                ['Rate', settings.ratePerSecond === null ? 'The limit of the service' : `${settings.ratePerSecond}/s`],
              ]}
            />
          </Card>
        </>
      ),
    };
  });
};

/** The organisation of the session. */
const organisationOf = ({ caller }: PageRequest): string => caller.orgId ?? '';

type Total = RouteAnswer<typeof showStatsRoute>['total'];
type Hook = RouteAnswer<typeof listListenersRoute>['items'][number];

function figures(at: PageRequest, total: Total, hooks: readonly Hook[]): readonly Stat[] {
  const paused = hooks.filter(({ state }) => state === 'paused').length;
  const failing = hooks.filter((hook) => hook.failing !== null && hook.failing.failures > 0).length;
  const share = total.attempts === 0 ? '–' : `${((100 * total.succeeded) / total.attempts).toFixed(1)} %`;
  return [
    {
      label: 'Hooks',
      value: `${numberText(hooks.length)}${hooks.length === maxHooks ? '+' : ''}`,
      href: at.url('/hooks'),
      note: `${paused} paused, ${failing} failing`,
      ...(failing > 0 && { tone: 'warn' as const }),
    },
    { label: 'Attempts', value: numberText(total.attempts), note: 'in 30 days' },
    { label: 'Successful', value: share, note: `${numberText(total.succeeded)} attempts` },
    {
      label: 'Given up',
      value: numberText(total.exhausted),
      note: 'deliveries without another attempt',
      href: at.url('/deliveries', { state: 'exhausted' }),
      ...(total.exhausted > 0 && { tone: 'bad' as const }),
    },
  ];
}

const Attempts = ({ days }: { readonly days: RouteAnswer<typeof showStatsRoute>['days'] }) => (
  <Card title="Attempts by day">
    <Chart
      title="Attempts by day (UTC)"
      unit="attempts"
      kind="bars"
      times={days.map(({ day }) => `${day}T00:00:00.000Z`)}
      series={[
        { label: 'Successful', tone: 'good', values: days.map(({ succeeded }) => succeeded) },
        { label: 'Failed', tone: 'bad', values: days.map(({ failed }) => failed) },
      ]}
    />
  </Card>
);

const NoHooks = () => (
  <Empty title="There are no hooks yet">
    <p>
      A hook appears here once it is registered, such as when you switch on a workflow on your automation platform, or
      with:
    </p>
    <Command
      text={
        `curl -X POST https://hooks.example.com/api/hooks/subscribe/flows -H 'Authorization: Bearer …' ` +
        `-H 'Content-Type: application/json' -d '{"hookUrl": "https://…", "subscriptionType": "flow.*"}'`
      }
    />
  </Empty>
);
