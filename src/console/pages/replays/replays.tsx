import { listDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { cancelReplayRoute, listReplaysRoute, showReplayRoute } from '../../../admin/api/contracts/replays.js';
import { Card, Empty, Id } from '../../../site/components/card.js';
import { FactsOf, ListenerLink, StateWord } from '../../../site/components/shown.js';
import { durationText } from '../../../site/components/time.js';
import { livePage } from '../../../site/derived/live-page.js';
import { routeAction } from '../../../site/derived/route-action.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site, Subject } from '../../../site/page-view.js';
import { hookUrlsOf } from '../deliveries/delivery-table.js';
import { organisationField } from '../organisation.js';
import { type Replay, replayColumns, selectionText } from './replay-table.js';

/** `/replays`: the replays of past flow events, the progress of each, and its cancellation. */
export const replayPages: Subject = (site) => {
  routeList(site, '/replays', listReplaysRoute, {
    title: 'Replays',
    lead: 'Past flow events that are sent to one listener again, the latest first.',
    query: () => ({ order: 'latest' }),
    filters: { orgId: organisationField(), listenerId: { label: 'Listener ID', maxLength: 36 } },
    keyOf: ({ id }) => id,
    columns: (at) => replayColumns(at, true),
    empty: (at) => (
      <Empty title="There are no replays">
        <p>
          To send past flow events to a listener again, open the <a href={at.url('/listeners')}>listener</a> and choose
          Replay.
        </p>
      </Empty>
    ),
  });
  progressPage(site);
};

const replayOf = (at: PageRequest): Promise<Replay> => at.call(showReplayRoute, { params: { id: at.params.id ?? '' } });

/** A completed replay has no more than deliveries that can be cancelled. */
const cancelText = ({ state }: Pick<Replay, 'state'>): string =>
  state === 'completed' ? 'Cancel its waiting deliveries' : 'Cancel the replay';

function progressPage(site: Site): void {
  const cancel = routeAction(site, '/replays/:id/cancel', cancelReplayRoute, {
    label: cancelText,
    read: replayOf,
    title: (replay) => `${cancelText(replay)}?`,
    above: (at) => ({ href: at.url(`/replays/${at.params.id}`), text: 'Replay' }),
    danger: true,
    consequences: ({ state }) =>
      state === 'cancelled'
        ? ['The replay has been cancelled already: nothing changes.']
        : [
            ...(state === 'running' ? ['No further flow events are examined.'] : []),
            'Its waiting and held deliveries are cancelled; attempts in progress are completed.',
            'Deliveries that were sent already are not taken back.',
          ],
    done: 'The replay is cancelled, with its waiting and held deliveries.',
  });
  livePage(site, '/replays/:id', {
    everyMs: 2_000,
    onAppended: true,
    async parts(at) {
      const replay = await replayOf(at);
      const isPending = cancel.may(at) && (replay.state === 'running' || (await hasPending(at, replay)));
      return {
        progress: <Progress replay={replay} />,
        actions: <>{isPending && cancel.button(at, {}, { label: cancelText(replay) })}</>,
      };
    },
    async shows(at) {
      const replay = await replayOf(at);
      const { id, orgId, listenerId } = replay;
      const hookUrls = await hookUrlsOf(at, orgId);
      return {
        title: 'Replay',
        lead: <Id value={id} />,
        below: (
          <Card
            title="What it sends"
            actions={<a href={at.url('/deliveries', { orgId, replay: id })}>Its deliveries</a>}
          >
            <FactsOf
              of={replay}
              facts={{
                Listener: () => <ListenerLink listenerId={listenerId} name={hookUrls.get(listenerId)} />,
                Organisation: () => <Id value={orgId} />,
                'Flow events': selectionText,
                'Recorded from': { show: 'from', none: 'the first one' },
                'Recorded to': { show: 'to', none: 'its start' },
                Rate: ({ ratePerSecond }) => `${ratePerSecond} deliveries a second`,
              }}
            />
          </Card>
        ),
      };
    },
  });
}

/** Deliveries of a completed replay may still wait, or be held. */
async function hasPending(at: PageRequest, { id, orgId, state }: Replay): Promise<boolean> {
  if (state !== 'completed') return false;
  const pages = await Promise.all(
    (['waiting', 'held'] as const).map((pending) =>
      at.call(listDeliveriesRoute, { query: { orgId, replay: id, state: pending, limit: '1' } }),
    ),
  );
  return pages.some(({ items, next }) => items.length > 0 || next !== null);
}

const code = (text: string | null) => text !== null && <code>{text}</code>;

const Progress = ({ replay }: { replay: Replay }) => (
  <Card title="Progress">
    <p>
      <StateWord state={replay.state} /> {replay.percent} %
      {replay.secondsLeft !== null && `, about ${durationText(replay.secondsLeft * 1_000)} left`}
    </p>
    <div>
      <progress max={100} value={replay.percent} aria-label="Share of the flow events examined">
        {replay.percent} %
      </progress>
    </div>
    <FactsOf
      of={replay}
      facts={{
        'Flow events examined': 'lookedAt',
        'Deliveries enqueued': 'enqueued',
        Started: 'startedAt',
        'Started by': ({ startedBy }) => code(startedBy),
        'Last progress': 'progressedAt',
        Ended: 'endedAt',
        'Ended by': ({ endedBy }) => code(endedBy),
        Reason: ({ reason }) => (reason === 'removed' ? 'the listener was removed' : reason),
      }}
    />
  </Card>
);
