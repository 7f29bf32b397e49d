import { listDeliveriesRoute, showStatsRoute } from '../../../admin/api/contracts/deliveries.js';
import { showListenerAsOfRoute, showListenerTimelineRoute } from '../../../admin/api/contracts/listener-queries.js';
import { listReplaysRoute } from '../../../admin/api/contracts/replays.js';
import type { CustomerAction } from '../../../admin/api/routing/admin-route.js';
import { Card } from '../../components/card.js';
import { ActionForm } from '../../components/form.js';
import { Sparkline } from '../../components/sparkline.js';
import { Pager } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { CopyButton, HookUrl } from '../../components/url.js';
import type { PageRequest } from '../../page-request.js';
import type { Parts, Site } from '../../page-view.js';
import { ReplayTable } from '../replays/replay-table.js';
import { ExplainCard } from './explain-listener.js';
import { type ListenerDetail, listenerOf, trail } from './listener.js';
import { AsOfCard, AsOfState, instantOf } from './listener-as-of.js';
import { LatestDeliveries, StatsCard } from './listener-deliveries.js';
import { AnswerCard, SubscriptionCard } from './listener-facts.js';
import { ListenerTimeline } from './listener-timeline.js';

const shownChanges = 50;
/** So few that the history begins within 1,200 px on a desktop. */
const shownDeliveries = 8;
const shownReplays = '5';
const statsDays = 14;
const dayMs = 86_400_000;
const sparklineColumns = 48;
/** Deliveries that the sparkline counts, so that its cost does not depend on their number. */
const sparklineSize = 1_000;

/** `/listeners/{listenerId}`; `at`: as of an instant; `changes`: this page of its timeline. */
export function listenerPage(site: Site): void {
  const live = site.live('/listeners/:listenerId', {
    everyMs: 5_000,
    onAppended: true,
    async parts(at) {
      const listener = await listenerOf(at);
      const [deliveries, timeline] = await Promise.all([deliveriesOf(at, listener), timelineOf(at, listener)]);
      const actions = <ListenerActions at={at} listener={listener} />;
      const answer = <AnswerCard at={at} listener={listener} />;
      const subscription = <SubscriptionCard at={at} listener={listener} />;
      return { actions, answer, subscription, deliveries, timeline } satisfies Parts;
    },
  });

  site.get('/listeners/:listenerId', async (at) => {
    const listener = await listenerOf(at);
    const [parts, attempts, card, stats, replays] = await Promise.all([
      live(at),
      lastDayOf(at, listener),
      asOfCard(at, listener),
      statsOf(at, listener),
      replaysOf(at, listener),
    ]);
    return {
      section: '/listeners',
      trail: trail(at),
      title: listener.hookUrl,
      heading: (
        <>
          <HookUrl url={listener.hookUrl} /> <CopyButton text={listener.hookUrl} what="the hook URL" />
        </>
      ),
      lead: listener.description ?? undefined,
      actions: parts.part('actions'),
      live: parts,
      content: (
        <>
          {parts.part('answer')}
          {attempts}
          {parts.part('deliveries')}
          {parts.part('subscription')}
          <div class="columns">
            <div class="stacked">
              {card}
              {parts.part('timeline')}
            </div>
            <div class="stacked">
              {stats}
              <ExplainCard at={at} listener={listener} />
              {replays}
            </div>
          </div>
        </>
      ),
    };
  });

  site.get('/listeners/:listenerId/at', async (at) => {
    const listener = await listenerOf(at);
    return {
      section: '/listeners',
      trail: trail(at),
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

/** Each once: of the latest flow events; also failed ones, which a backlog would displace. */
async function latestOf(at: PageRequest, { orgId, listenerId, health }: ListenerDetail, limit: number) {
  const list = async (state?: 'waiting' | 'exhausted', error?: 'any') => {
    const query = { orgId, listenerId, state, error, limit: String(limit) };
    return (await at.call(listDeliveriesRoute, { query })).items;
  };
  const [failed, waiting, latest] = await Promise.all([
    list('exhausted'),
    health.failingSince === null ? [] : list('waiting', 'any'),
    list(),
  ]);
  const all = new Map([...failed, ...waiting, ...latest].map((delivery) => [delivery.id, delivery]));
  return { all: [...all.values()], latest, hasFailed: failed.length > 0 };
}

type Delivery = Awaited<ReturnType<typeof latestOf>>['latest'][number];

/** Those that failed come first, the latest attempt before the others. */
async function deliveriesOf(at: PageRequest, listener: ListenerDetail) {
  const { all, hasFailed } = await latestOf(at, listener, shownDeliveries);
  const isOpen = ({ state, lastError }: Delivery) => state !== 'succeeded' && lastError !== null;
  const byAttempt = all
    .filter(isOpen)
    .sort((one, other) => (other.lastAttemptAt ?? '').localeCompare(one.lastAttemptAt ?? ''));
  const deliveries = [...byAttempt, ...all.filter((each) => !isOpen(each))].slice(0, shownDeliveries);
  const { orgId, listenerId } = listener;
  return (
    <LatestDeliveries at={at} orgId={orgId} listenerId={listenerId} deliveries={deliveries} hasFailed={hasFailed} />
  );
}

/** By the time of the last attempt: of 24 hours, or of the time that its latest deliveries reach back. */
async function lastDayOf(at: PageRequest, listener: ListenerDetail) {
  const { all, latest } = await latestOf(at, listener, sparklineSize);
  const now = at.now.getTime();
  const reached = latest.length < sparklineSize ? null : latest.at(-1)?.enqueuedAt;
  const from = Math.max(now - dayMs, reached ? Date.parse(reached) : 0);
  const counted = (states: readonly Delivery['state'][]) => {
    const values = Array.from({ length: sparklineColumns }, () => 0);
    for (const { state, lastAttemptAt } of all) {
      if (lastAttemptAt === null || !states.includes(state)) continue;
      const column = Math.floor(((Date.parse(lastAttemptAt) - from) / (now - from + 1)) * sparklineColumns);
      if (column in values) values[column] = (values[column] ?? 0) + 1;
    }
    return values;
  };
  const title = reached ? (
    <>
      The latest {numberText(sparklineSize)} deliveries, since <Time at={from} />
    </>
  ) : (
    'Last 24 hours'
  );
  return (
    <Sparkline
      title={title}
      parts={[
        { tone: 'good', label: 'delivered', values: counted(['succeeded']) },
        { tone: 'warn', label: 'to be tried again', values: counted(['waiting', 'held']) },
        { tone: 'bad', label: 'given up', values: counted(['exhausted', 'cancelled']) },
      ]}
    />
  );
}

async function statsOf(at: PageRequest, { orgId, listenerId }: ListenerDetail) {
  const from = new Date(at.now.getTime() - (statsDays - 1) * dayMs).toISOString().slice(0, 10);
  const to = at.now.toISOString().slice(0, 10);
  return <StatsCard stats={await at.call(showStatsRoute, { query: { orgId, listenerId, from, to } })} />;
}

async function replaysOf(at: PageRequest, { orgId, listenerId }: ListenerDetail) {
  const { items, next } = await at.call(listReplaysRoute, {
    query: { orgId, listenerId, order: 'latest', limit: shownReplays },
  });
  const all = at.url('/replays', { listenerId, orgId: at.caller.orgId === null ? orgId : undefined });
  return (
    <Card title="Replays" actions={next !== null && <a href={all}>All replays</a>}>
      <ReplayTable
        at={at}
        replays={items}
        empty={<p class="muted">Past flow events have not been sent to it again.</p>}
      />
    </Card>
  );
}

/** The buttons of a listener that the caller's role permits, as its state allows. */
function ListenerActions({ at, listener }: { at: PageRequest; listener: ListenerDetail }) {
  if (!at.may('operator') || listener.state === 'ended') return null;
  const may = (action: CustomerAction) => at.may('operator', action);
  const to = (action: string) => at.url(`/listeners/${listener.listenerId}/${action}`);
  const isActive = listener.state === 'active';
  const isHeld = listener.state === 'paused' || listener.held > 0;
  return (
    <>
      {isActive && may('pause') && listener.health.breaker !== 'closed' && (
        <ActionForm action={to('close-circuit')} label="Try now" tone="primary" />
      )}
      {may('pause') && isHeld && (
        <a class="button primary" href={to('resume')}>
          {isActive ? 'Deliver held' : 'Resume'}
        </a>
      )}
      {isActive && may('test') && <ActionForm action={to('test')} label="Send a test" />}
      {isActive && may('pause') && <ActionForm action={to('pause')} label="Pause" />}
      {may('register') && (
        <a class="button" href={to('edit')}>
          Edit
        </a>
      )}
      {may('options') && (
        <a class="button quiet" href={to('options')}>
          Order and rate
        </a>
      )}
      {isActive && may('replay') && (
        <a class="button quiet" href={to('replay')}>
          Replay
        </a>
      )}
      {may('rotate-secret') && (
        <a class="button quiet" href={to('rotate-secret')}>
          Rotate secret
        </a>
      )}
      {may('unsubscribe') && (
        <a class="button quiet danger" href={to('unsubscribe')}>
          Unsubscribe
        </a>
      )}
    </>
  );
}
