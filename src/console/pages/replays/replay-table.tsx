import type { showReplayRoute } from '../../../admin/api/contracts/replays.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Id } from '../../../site/components/card.js';
import type { Columns } from '../../../site/components/table.js';
import type { PageRequest } from '../../../site/page-request.js';

export type Replay = RouteAnswer<typeof showReplayRoute>;

/** Events of a replay. */
export const selectionText = ({ type, event }: Pick<Replay, 'type' | 'event'>): string => {
  if (event !== null) return 'one flow event';
  return type ?? 'as subscribed';
};

/** Columns of replays; with their listeners if `showListeners`. */
export const replayColumns = (at: PageRequest, showListeners: boolean): Columns<Replay> => ({
  Replay: ({ id }) => <Id value={id} href={at.url(`/replays/${id}`)} />,
  State: 'state',
  Done: { show: ({ percent }) => <span class="nowrap">{percent} %</span>, numeric: true },
  Sends: selectionText,
  Deliveries: 'enqueued',
  Listener: showListeners ? 'listenerId' : undefined,
  Organisation: showListeners && at.caller.orgId === null ? 'orgId' : undefined,
  Started: { show: 'startedAt', relative: true },
});
