import { listDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { listReplaysRoute } from '../../../admin/api/contracts/replays.js';
import { Card, Empty, Facts, Id } from '../../components/card.js';
import { Field, FilterBar, Results } from '../../components/form.js';
import { Pager } from '../../components/table.js';
import { durationText, numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';
import type { Site, Subject } from '../../page-view.js';
import { hookUrlsOf } from '../deliveries/delivery-table.js';
import { cancelPages, cancelText, replayOf } from './cancel-replay.js';
import { type Replay, ReplayBadge, ReplayTable, selectionText } from './replay-table.js';

const pageSize = '50';
const section = '/replays';

/** `/replays`: the replays of past flow events, and the progress of each. */
export const replayPages: Subject = (site) => {
  site.notices({
    'replay-started': 'The replay has started.',
    'replay-cancelled': 'The replay is cancelled, with its waiting and held deliveries.',
  });
  listPage(site);
  progressPage(site);
  cancelPages(site);
};

function listPage(site: Site): void {
  site.get('/replays', async (at) => {
    const { orgId, listenerId, after } = at.query.pick('orgId', 'listenerId', 'after');
    const query = { orgId, listenerId, after, order: 'latest', limit: pageSize } as const;
    const { items, next } = await at.call(listReplaysRoute, { query });
    return {
      title: 'Replays',
      section,
      lead: 'Past flow events that are sent to one listener again, the latest first.',
      content: (
        <>
          <FilterBar>
            {at.caller.orgId === null && <Field label="Organisation" name="orgId" maxLength={256} />}
            <Field label="Listener ID of the listener" name="listenerId" maxLength={36} />
          </FilterBar>
          <Results>
            <ReplayTable at={at} replays={items} showListeners empty={<NoReplays at={at} />} />
            <Pager next={next} />
          </Results>
        </>
      ),
    };
  });
}

const NoReplays = ({ at }: { at: PageRequest }) => (
  <Empty title="There are no replays">
    <p>
      To send past flow events to a listener again, open the <a href={at.url('/listeners')}>listener</a> and choose
      Replay.
    </p>
  </Empty>
);

function progressPage(site: Site): void {
  const live = site.live('/replays/:id', {
    everyMs: 2_000,
    onAppended: true,
    async parts(at) {
      const replay = await replayOf(at);
      return {
        progress: <Progress replay={replay} />,
        actions: <Cancel at={at} replay={replay} may={await mayCancel(at, replay)} />,
      };
    },
  });

  site.get('/replays/:id', async (at) => {
    const [replay, parts] = await Promise.all([replayOf(at), live(at)]);
    const { id, orgId, listenerId } = replay;
    const hookUrls = await hookUrlsOf(at, orgId);
    return {
      title: 'Replay',
      section,
      lead: <Id value={id} />,
      trail: [{ href: at.url('/replays'), text: 'Replays' }],
      live: parts,
      actions: parts.part('actions'),
      content: (
        <>
          {parts.part('progress')}
          <Card
            title="What it sends"
            actions={<a href={at.url('/deliveries', { orgId, replay: id })}>Its deliveries</a>}
          >
            <Facts
              facts={[
                [
                  'Listener',
                  <Id
                    key="listener"
                    value={hookUrls.get(listenerId) ?? listenerId}
                    href={at.url(`/listeners/${listenerId}`)}
                  />,
                ],
                ['Organisation', <Id key="org" value={orgId} />],
                ['Flow events', selectionText(replay)],
                ['Recorded from', replay.from === null ? 'the first one' : <Time key="from" at={replay.from} />],
                ['Recorded to', replay.to === null ? 'its start' : <Time key="to" at={replay.to} />],
                ['Rate', `${replay.ratePerSecond} deliveries a second`],
              ]}
            />
          </Card>
        </>
      ),
    };
  });
}

const mayCancel = async (at: PageRequest, replay: Replay): Promise<boolean> =>
  at.may('operator', 'replay') && (replay.state === 'running' || (await hasPending(at, replay)));

const Cancel = ({ at, replay, may }: { at: PageRequest; replay: Replay; may: boolean }) =>
  may ? (
    <a class="button danger" href={at.url(`/replays/${replay.id}/cancel`)}>
      {cancelText(replay)}
    </a>
  ) : null;

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

function Progress({ replay }: { replay: Replay }) {
  const { state, percent, secondsLeft, lookedAt, enqueued, endedAt, endedBy, reason } = replay;
  return (
    <Card title="Progress">
      <p>
        <ReplayBadge state={state} /> {percent} %
        {secondsLeft !== null && `, about ${durationText(secondsLeft * 1_000)} left`}
      </p>
      <div>
        <progress max={100} value={percent} aria-label="Share of the flow events examined">
          {percent} %
        </progress>
      </div>
      <Facts
        facts={[
          ['Flow events examined', numberText(lookedAt)],
          ['Deliveries enqueued', numberText(enqueued)],
          ['Started', <Time key="started" at={replay.startedAt} />],
          ['Started by', replay.startedBy === null ? null : <code key="by">{replay.startedBy}</code>],
          ['Last progress', <Time key="progress" at={replay.progressedAt} />],
          ['Ended', endedAt === null ? null : <Time key="ended" at={endedAt} />],
          ['Ended by', endedBy === null ? null : <code key="ended-by">{endedBy}</code>],
          ['Reason', reason === 'removed' ? 'the listener was removed' : reason],
        ]}
      />
    </Card>
  );
}
