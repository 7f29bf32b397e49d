import { listDeliveriesRoute, showStatsRoute } from '../../../admin/api/contracts/deliveries.js';
import { showListenerAsOfRoute, showListenerTimelineRoute } from '../../../admin/api/contracts/listener-queries.js';
import { listReplaysRoute } from '../../../admin/api/contracts/replays.js';
import { Card } from '../../../site/components/card.js';
import { Pager, Table } from '../../../site/components/table.js';
import { CopyButton, HookUrl } from '../../../site/components/url.js';
import { livePage } from '../../../site/derived/live-page.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Parts, Site } from '../../../site/page-view.js';
import { replayColumns } from '../replays/replay-table.js';
import { ExplainCard } from './explain-listener.js';
import { type ListenerDetail, listenerOf } from './listener.js';
import { ActionButtons, listenerActions } from './listener-actions.js';
import { AsOfCard, AsOfState, instantOf } from './listener-as-of.js';
import { LastDay, LatestDeliveries, StatsCard } from './listener-deliveries.js';
import { AnswerCard, SubscriptionCard } from './listener-facts.js';
import { ListenerTimeline } from './listener-timeline.js';

const shownChanges = 50;
/** Number with which the history begins within 1,200 px on a desktop. */
const shownDeliveries = 8;
const shownReplays = '5';
const statsDays = 14;
const dayMs = 86_400_000;

/** `/listeners/{listenerId}`; `at`: as of an instant; `changes`: this page of its timeline. */
export function listenerPage(site: Site): void {
  const actionsOf = listenerActions(site);
  livePage(site, '/listeners/:listenerId', {
    everyMs: 5_000,
    onAppended: true,
    async parts(at) {
      const listener = await listenerOf(at);
      const [deliveries, timeline] = await Promise.all([deliveriesOf(at, listener), timelineOf(at, listener)]);
      const actions = <ActionButtons at={at} listener={listener} actions={actionsOf} />;
      const answer = <AnswerCard at={at} listener={listener} />;
      const subscription = <SubscriptionCard at={at} listener={listener} />;
      return { actions, answer, subscription, deliveries, timeline } satisfies Parts;
    },
    async shows(at, part) {
      const listener = await listenerOf(at);
      const [card, stats, replays] = await Promise.all([
        asOfCard(at, listener),
        statsOf(at, listener),
        replaysOf(at, listener),
      ]);
      return {
        title: listener.hookUrl,
        heading: (
          <>
            <HookUrl url={listener.hookUrl} /> <CopyButton text={listener.hookUrl} what="the hook URL" />
          </>
        ),
        lead: listener.description ?? undefined,
        content: (
          <>
            {part('answer')}
            <LastDay halfHours={stats.halfHours} now={at.now.getTime()} />
            {part('deliveries')}
            {part('subscription')}
            <div class="columns">
              <div class="stacked">
                {card}
                {part('timeline')}
              </div>
              <div class="stacked">
                <StatsCard stats={stats} />
                <ExplainCard at={at} listener={listener} />
                {replays}
              </div>
            </div>
          </>
        ),
      };
    },
  });

  site.get('/listeners/:listenerId/at', async (at) => {
    const listener = await listenerOf(at);
    return {
      title: 'Listener at an instant',
      content: <AsOfState at={at} listenerId={listener.listenerId} asOf={await asOfOf(at, listener)} />,
    };
  });
}

function asOfOf(at: PageRequest, { listenerId }: ListenerDetail) {
  const text = at.query.text('at');
  const instant = text === undefined ? at.now : instantOf(text);
  return at.call(showListenerAsOfRoute, { params: { listenerId }, body: { at: instant.toISOString() } });
}

const changesOf = (at: PageRequest, { listenerId }: ListenerDetail) =>
  at.call(showListenerTimelineRoute, {
    params: { listenerId },
    query: { limit: String(shownChanges), after: at.query.text('changes') },
  });

async function asOfCard(at: PageRequest, listener: ListenerDetail) {
  const [asOf, { items }] = await Promise.all([asOfOf(at, listener), changesOf(at, listener)]);
  return <AsOfCard at={at} listener={listener} asOf={asOf} changes={items.map((change) => change.at)} />;
}

async function timelineOf(at: PageRequest, listener: ListenerDetail) {
  const [asOf, { items, next }] = await Promise.all([asOfOf(at, listener), changesOf(at, listener)]);
  return (
    <Card title="Timeline">
      <ListenerTimeline at={at} listenerId={listener.listenerId} changes={items} current={asOf.change?.revision} />
      <Pager next={next} by="changes" />
    </Card>
  );
}

/** Each once: those that failed, which a backlog would displace, the latest attempt before the others; then the latest. */
async function deliveriesOf(at: PageRequest, { orgId, listenerId, health }: ListenerDetail) {
  const list = async (state?: 'waiting' | 'exhausted', error?: 'any') => {
    const query = { orgId, listenerId, state, error, limit: String(shownDeliveries) };
    return (await at.call(listDeliveriesRoute, { query })).items;
  };
  const [failed, waiting, latest] = await Promise.all([
    list('exhausted'),
    health.failingSince === null ? [] : list('waiting', 'any'),
    list(),
  ]);
  const all = [...new Map([...failed, ...waiting, ...latest].map((each) => [each.id, each])).values()];
  const isOpen = ({ state, lastError }: (typeof all)[number]) => state !== 'succeeded' && lastError !== null;
  const byAttempt = all
    .filter(isOpen)
    .sort((one, other) => (other.lastAttemptAt ?? '').localeCompare(one.lastAttemptAt ?? ''));
  const deliveries = [...byAttempt, ...all.filter((each) => !isOpen(each))].slice(0, shownDeliveries);
  const hasFailed = failed.length > 0;
  return (
    <LatestDeliveries at={at} orgId={orgId} listenerId={listenerId} deliveries={deliveries} hasFailed={hasFailed} />
  );
}

function statsOf(at: PageRequest, { orgId, listenerId }: ListenerDetail) {
  const from = new Date(at.now.getTime() - (statsDays - 1) * dayMs).toISOString().slice(0, 10);
  const to = at.now.toISOString().slice(0, 10);
  return at.call(showStatsRoute, { query: { orgId, listenerId, from, to } });
}

async function replaysOf(at: PageRequest, { orgId, listenerId }: ListenerDetail) {
  const { items, next } = await at.call(listReplaysRoute, {
    query: { orgId, listenerId, order: 'latest', limit: shownReplays },
  });
  const all = at.url('/replays', { listenerId, orgId: at.caller.orgId === null ? orgId : undefined });
  return (
    <Card title="Replays" actions={next !== null && <a href={all}>All replays</a>}>
      <Table
        caption="Replays"
        rows={items}
        keyOf={({ id }) => id}
        columns={replayColumns(at, false)}
        empty={<p class="muted">Past flow events have not been sent to it again.</p>}
      />
    </Card>
  );
}
