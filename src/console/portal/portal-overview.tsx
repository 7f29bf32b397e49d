import { showStatsRoute } from '../../admin/api/contracts/deliveries.js';
import { searchListenersRoute } from '../../admin/api/contracts/listener-queries.js';
import { listListenersRoute } from '../../admin/api/contracts/listeners.js';
import { showOrganisationSettingsRoute } from '../../admin/api/contracts/organisations.js';
import type { RouteAnswer } from '../../http/route-contract.js';
import { Card, Empty, Facts, type Stat, Stats } from '../../site/components/card.js';
import { numberText } from '../../site/components/time.js';
import { livePage } from '../../site/derived/live-page.js';
import type { PageRequest } from '../../site/page-request.js';
import type { Subject } from '../../site/page-view.js';
import { AttemptsByDay } from '../pages/listeners/listener-deliveries.js';
import { eventTypeChecks } from '../pages/organisations/organisation.js';

/** Listeners beyond these are not counted. */
const maxListeners = 1_000;
const maxTroubled = 100;

/** `/`: listeners, attempts and settings of the customer's organisation. */
export const portalOverviewPages: Subject = (site) =>
  livePage(site, '/', {
    everyMs: 10_000,
    onAppended: true,
    async parts(at) {
      const orgId = organisationOf(at);
      const stats = await at.call(showStatsRoute, { query: { orgId } });
      const listeners = await at.call(listListenersRoute, { query: { orgId, limit: String(maxListeners) } });
      const troubled = await at.call(searchListenersRoute, { body: { orgId, state: 'troubled', limit: maxTroubled } });
      const inTrouble = `${troubled.items.length}${troubled.next === null ? '' : '+'}`;
      return {
        figures: <Stats stats={figures(at, stats.total, listeners.items, inTrouble)} />,
        attempts:
          listeners.items.length === 0 && stats.total.attempts === 0 ? (
            <NoListeners />
          ) : (
            <AttemptsByDay stats={stats} />
          ),
      };
    },
    async shows(at) {
      const settings = await at.call(showOrganisationSettingsRoute, { query: { orgId: organisationOf(at) } });
      return {
        title: 'Overview',
        section: '/',
        lead: <>The listeners of {settings.orgId}, and what they received in the last 30 days.</>,
        below: (
          <>
            <Card title="Defaults of new listeners">
              <Facts
                facts={{
                  Order: settings.ordered ? 'One delivery at a time, in order' : 'Several deliveries at a time',
                  Rate: settings.ratePerSecond === null ? 'The limit of the service' : `${settings.ratePerSecond}/s`,
                }}
              />
            </Card>
            <Card title="Check of flow events">
              <Facts
                facts={{
                  'Flow events that do not match their declared type': eventTypeChecks[settings.eventTypeCheck],
                }}
              />
            </Card>
          </>
        ),
      };
    },
  });

/** The organisation of the session. */
const organisationOf = ({ caller }: PageRequest): string => caller.orgId ?? '';

type Total = RouteAnswer<typeof showStatsRoute>['total'];
type Listener = RouteAnswer<typeof listListenersRoute>['items'][number];

function figures(at: PageRequest, total: Total, listeners: readonly Listener[], inTrouble: string): readonly Stat[] {
  const paused = listeners.filter(({ state }) => state === 'paused').length;
  const share = total.attempts === 0 ? '–' : `${((100 * total.succeeded) / total.attempts).toFixed(1)} %`;
  return [
    {
      label: 'Listeners',
      value: `${numberText(listeners.length)}${listeners.length === maxListeners ? '+' : ''}`,
      href: at.url('/listeners'),
      note: `${paused} paused, ${inTrouble} in trouble`,
      tone: inTrouble === '0' ? undefined : 'warn',
    },
    { label: 'Attempts', value: numberText(total.attempts), note: 'in 30 days' },
    { label: 'Successful', value: share, note: `${numberText(total.succeeded)} attempts` },
    {
      label: 'Given up',
      value: numberText(total.exhausted),
      note: 'deliveries without another attempt',
      href: at.url('/deliveries', { state: 'exhausted' }),
      tone: total.exhausted > 0 ? 'bad' : undefined,
    },
  ];
}

const NoListeners = () => (
  <Empty
    title="There are no listeners yet"
    text="A listener appears here once it is registered, such as when you switch on a workflow on your automation platform."
  />
);
