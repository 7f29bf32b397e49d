import { listDeliveriesRoute, showStatsRoute } from '../../../operations/api/contracts/deliveries.js';
import {
  showListenerAsOfRoute,
  showListenerRoute,
  showListenerTimelineRoute,
} from '../../../operations/api/contracts/hooks.js';
import { listReplaysRoute } from '../../../operations/api/contracts/replays.js';
import { Card } from '../../components/card.js';
import { Facts, Id } from '../../components/facts.js';
import { Field } from '../../components/form.js';
import { Notice } from '../../components/notice.js';
import { Pager } from '../../components/table.js';
import { Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { PageView, Parts, Site } from '../../page-view.js';
import { ReplayTable } from '../replays/replay-table.js';
import { HookActions } from './hook-actions.js';
import { AsOfCard, AsOfState, instantOf } from './hook-as-of.js';
import { LatestDeliveries, StatsCard } from './hook-deliveries.js';
import { HealthText, type HookDetail, optionsText, StatusBadge, statusOf } from './hook-state.js';
import { HookTimeline } from './hook-timeline.js';

const shownChanges = 50;
const shownDeliveries = '10';
const shownReplays = '5';
const statsDays = 14;
const dayMs = 86_400_000;

export const hookOf = (at: PageRequest): Promise<HookDetail> =>
  at.call(showListenerRoute, { params: { listenerId: at.params.listenerId ?? '' } });

/** `/hooks/{listenerId}`: one hook; with `at`, as of an instant, and with `changes`, from this page of its timeline on. */
export function hookPage(site: Site): void {
  const live = site.live('/hooks/:listenerId', {
    everyMs: 5_000,
    onAppended: true,
    async parts(at) {
      const hook = await hookOf(at);
      const [state, deliveries, timeline] = await Promise.all([
        stateOf(at, hook),
        deliveriesOf(at, hook),
        timelineOf(at, hook),
      ]);
      return { state, deliveries, timeline } satisfies Parts;
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
      lead: <StatusBadge status={statusOf(hook)} />,
      actions: <HookActions at={at} hook={hook} />,
      live: parts,
      content: (
        <>
          {parts.part('state')}
          {card}
          <div class="columns">
            {stats}
            {parts.part('deliveries')}
          </div>
          <div class="columns">
            {parts.part('timeline')}
            <div class="stacked">
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

/** The section and the pages above a page of a hook. */
export const frameOf = (
  at: PageRequest,
  hook: Pick<HookDetail, 'listenerId'>,
  isBelow = false,
): Pick<PageView, 'section' | 'trail'> => ({
  section: '/hooks',
  trail: [
    { href: at.url('/hooks'), text: 'Hooks' },
    ...(isBelow ? [{ href: at.url(`/hooks/${hook.listenerId}`), text: 'Hook' }] : []),
  ],
});

async function stateOf(at: PageRequest, hook: HookDetail) {
  const { listenerId, orgId, userId, state, since, endReason, replacedBy, held } = hook;
  return (
    <Card title="State">
      {state === 'ended' && (
        <Notice tone="warn">
          The registration ended at <Time at={since} />
          {endReason !== null && ` (${endReason})`}: nothing is sent to it any more.{' '}
          {replacedBy !== null && <a href={at.url(`/hooks/${replacedBy}`)}>The URL was registered again.</a>}
        </Notice>
      )}
      <Facts
        facts={[
          ['State', <StatusBadge key="state" status={statusOf(hook)} />],
          ['Since', <Time key="since" at={since} />],
          ['Health', state === 'ended' ? null : <HealthText key="health" health={hook.health} />],
          ['Held deliveries', held === 1_000 ? '1,000 or more' : held],
          ['Subscription type', <code key="type">{hook.subscriptionType}</code>],
          ['Deliveries', optionsText(hook)],
          ['Organisation', <Id key="org" value={orgId} {...organisationHref(at, orgId)} />],
          ['Registered by user', <code key="user">{userId}</code>],
          ['First registered', <Time key="first" at={hook.firstRegisteredAt} />],
          [
            'Signing secret',
            <>
              version {hook.secretVersion}
              {hook.previousSecretUntil !== null && (
                <>
                  ; the previous one signs too until <Time at={hook.previousSecretUntil} />
                </>
              )}
            </>,
          ],
          ['Listener ID', <Id key="id" value={listenerId} />],
        ]}
      />
    </Card>
  );
}

const organisationHref = (at: PageRequest, orgId: string) =>
  at.caller.orgId === null ? { href: at.url('/organisations/show', { orgId }) } : {};

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
  const from = new Date(at.now.getTime() - (statsDays - 1) * dayMs).toISOString().slice(0, 10);
  return <StatsCard stats={await at.call(showStatsRoute, { query: { orgId, listenerId, from } })} />;
}

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

const ExplainCard = ({ at, hook }: { readonly at: PageRequest; readonly hook: HookDetail }) => (
  <Card title="Why did it get an event, or not?">
    <form class="stack" method="get" action={at.url(`/hooks/${hook.listenerId}/explain`)}>
      <Field
        label="ID of the flow event"
        name="eventId"
        required
        maxLength={256}
        hint="As its producer knows it: the `id` of a delivered body."
      />
      <button type="submit">Explain</button>
    </form>
  </Card>
);
