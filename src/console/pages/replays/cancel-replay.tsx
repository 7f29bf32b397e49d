import { cancelReplayRoute, showReplayRoute } from '../../../admin/api/contracts/replays.js';
import { Confirm } from '../../components/form.js';
import type { PageRequest } from '../../page-request.js';
import { redirectTo, type Site } from '../../page-view.js';
import type { Replay } from './replay-table.js';

/** The replay that the path of a page names. */
export const replayOf = (at: PageRequest): Promise<Replay> =>
  at.call(showReplayRoute, { params: { id: at.params.id ?? '' } });

/** A completed replay has no more than deliveries that can be cancelled. */
export const cancelText = ({ state }: Pick<Replay, 'state'>): string =>
  state === 'completed' ? 'Cancel its waiting deliveries' : 'Cancel the replay';

/** Cancelling a replay. */
export function cancelPages(site: Site): void {
  site.form('/replays/:id/cancel', cancelReplayRoute, async (at) => {
    const replay = await replayOf(at);
    const { id, state } = replay;
    const back = at.url(`/replays/${id}`);
    const frame = {
      section: '/replays',
      trail: [
        { href: at.url('/replays'), text: 'Replays' },
        { href: back, text: 'Replay' },
      ],
    };
    if (state === 'cancelled') {
      return { ...frame, title: 'The replay has been cancelled already', content: <a href={back}>To the replay</a> };
    }
    return {
      ...frame,
      title: `${cancelText(replay)}?`,
      content: (
        <Confirm
          label={cancelText(replay)}
          cancel={back}
          danger
          consequences={[
            ...(state === 'running' ? ['No further flow events are examined.'] : []),
            'Its waiting and held deliveries are cancelled; attempts in progress are completed.',
            'Deliveries that were sent already are not taken back.',
          ]}
        />
      ),
    };
  });
  site.post('/replays/:id/cancel', async (at) => {
    const { id } = at.params;
    await at.call(cancelReplayRoute, { params: { id: id ?? '' }, body: {} });
    return redirectTo(at, `/replays/${id}`, { notice: 'replay-cancelled' });
  });
}
