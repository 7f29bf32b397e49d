import { listDeliveriesRoute, showStatsRoute } from '../../../operations/api/contracts/deliveries.js';
import { showListenerAsOfRoute, showListenerTimelineRoute } from '../../../operations/api/contracts/hooks.js';
import { listReplaysRoute } from '../../../operations/api/contracts/replays.js';
import { Card } from '../../components/card.js';
import { Pager } from '../../components/table.js';
import type { PageRequest } from '../../page-request.js';
import type { Parts, Site } from '../../page-view.js';
import { ReplayTable } from '../replays/replay-table.js';
import { ExplainCard } from './explain-hook.js';
import { HookActions } from './hook-actions.js';
import { AsOfCard, AsOfState, instantOf } from './hook-as-of.js';
import { ContentCard } from './hook-content.js';
import { LatestDeliveries, StatsCard } from './hook-deliveries.js';
import { frameOf, hookOf } from './hook-frame.js';
import type { HookDetail } from './hook-state.js';
import { StateCard } from './hook-state-card.js';
import { HookTimeline } from './hook-timeline.js';

const shownChanges = 50;
const shownDeliveries = '10';
const shownReplays = '5';
const statsDays = 14;
const dayMs = 86_400_000;

/** `/hooks/{listenerId}`: one hook; with `at`, as of an instant, and with `changes`, from this page of its timeline on. */
export function hookPage(site: Site): void {
  const live = site.live('/hooks/:listenerId', {
    everyMs: 5_000,
    onAppended: true,
    async parts(at) {
      const hook = await hookOf(at);
      const [deliveries, timeline] = await Promise.all([deliveriesOf(at, hook), timelineOf(at, hook)]);
      const state = <StateCard at={at} hook={hook} />;
      const content = <ContentCard at={at} hook={hook} />;
      return { state, content, deliveries, timeline } satisfies Parts;
    },
  });

  site.get('/hooks/:listenerId', async (at) => {
    const hook = await hookOf(at);
    const [parts, card, stats, replays] = await Promise.all([
      live(at),
      asOfCard(at, hook),
      statsOf(at, hook),
      replaysOf(at, hook),
    ]);
    return {
      ...frameOf(at, hook),
      title: hook.hookUrl,
      actions: <HookActions at={at} hook={hook} />,
      live: parts,
      content: (
        <>
          {parts.part('state')}
          {parts.part('content')}
          {card}
          {parts.part('deliveries')}
          <div class="columns">
            {parts.part('timeline')}
            <div class="stacked">
              {stats}
              <ExplainCard at={at} hook={hook} />
              {replays}
            </div>
          </div>
        </>
      ),
    };
  });

  site.get('/hooks/:listenerId/at', async (at) => {
    const hook = await hookOf(at);
    return {
      ...frameOf(at, hook),
      title: 'Hook at an instant',
      content: <AsOfState at={at} listenerId={hook.listenerId} asOf={await asOfOf(at, hook)} />,
    };
  });
}

function asOfOf(at: PageRequest, { listenerId }: HookDetail) {
  const text = at.query.text('at');
  const instant = text === undefined ? at.now : instantOf(text);
  return at.call(showListenerAsOfRoute, { params: { listenerId }, body: { at: instant.toISOString() } });
}

const changesOf = (at: PageRequest, { listenerId }: HookDetail) =>
  at.call(showListenerTimelineRoute, {
    params: { listenerId },
    query: { limit: String(shownChanges), after: at.query.text('changes') },
  });

async function asOfCard(at: PageRequest, hook: HookDetail) {
  const [asOf, { items }] = await Promise.all([asOfOf(at, hook), changesOf(at, hook)]);
  return <AsOfCard at={at} hook={hook} asOf={asOf} changes={items.map((change) => change.at)} />;
}

async function timelineOf(at: PageRequest, hook: HookDetail) {
  const [asOf, { items, next }] = await Promise.all([asOfOf(at, hook), changesOf(at, hook)]);
  const isFirst = at.query.text('changes') === undefined;
  return (
    <Card title="Timeline">
      <HookTimeline at={at} listenerId={hook.listenerId} changes={items} current={asOf.change?.revision} />
      <Pager
        first={isFirst ? undefined : at.here({ changes: undefined })}
        next={next === null ? undefined : at.here({ changes: next })}
      />
    </Card>
  );
}

async function deliveriesOf(at: PageRequest, { orgId, listenerId }: HookDetail) {
  const { items } = await at.call(listDeliveriesRoute, { query: { orgId, listenerId, limit: shownDeliveries } });
  return <LatestDeliveries at={at} orgId={orgId} listenerId={listenerId} deliveries={items} />;
}

async function statsOf(at: PageRequest, { orgId, listenerId }: HookDetail) {
  const days = Array.from({ length: statsDays }, (_, index) =>
    dayOf(at.now.getTime() - (statsDays - 1 - index) * dayMs),
  );
  const stats = await at.call(showStatsRoute, { query: { orgId, listenerId, from: days[0], to: days.at(-1) } });
  return <StatsCard stats={stats} days={days} />;
}

/** `2026-01-31`, in UTC. */
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function replaysOf(at: PageRequest, { orgId, listenerId }: HookDetail) {
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
