import type { ComponentChildren } from 'preact';
import type { showReplayRoute } from '../../../admin/api/contracts/replays.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Id } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';

export type Replay = RouteAnswer<typeof showReplayRoute>;

const tones: Readonly<Record<Replay['state'], Tone>> = { running: 'info', completed: 'good', cancelled: 'neutral' };

export const ReplayBadge = ({ state }: Pick<Replay, 'state'>) => <Badge tone={tones[state]}>{state}</Badge>;

/** Events of a replay. */
export const selectionText = ({ type, event }: Pick<Replay, 'type' | 'event'>): string => {
  if (event !== null) return 'one flow event';
  return type ?? 'as subscribed';
};

/** Replays; with their listeners if `showListeners`. */
export const ReplayTable = ({
  at,
  replays,
  empty,
  showListeners = false,
}: {
  at: PageRequest;
  replays: readonly Replay[];
  empty: ComponentChildren;
  showListeners?: boolean;
}) => (
  <Table
    caption="Replays"
    rows={replays}
    keyOf={({ id }) => id}
    empty={empty}
    columns={[
      { head: 'Replay', cell: ({ id }) => <Id value={id} href={at.url(`/replays/${id}`)} /> },
      { head: 'State', cell: ({ state }) => <ReplayBadge state={state} /> },
      { head: 'Done', numeric: true, cell: ({ percent }) => <span class="nowrap">{percent} %</span> },
      { head: 'Sends', cell: (replay) => selectionText(replay) },
      { head: 'Deliveries', numeric: true, cell: ({ enqueued }) => numberText(enqueued) },
      ...(showListeners
        ? [
            {
              head: 'Listener',
              cell: ({ listenerId }: Replay) => <Id value={listenerId} href={at.url(`/listeners/${listenerId}`)} />,
            },
          ]
        : []),
      ...(showListeners && at.caller.orgId === null
        ? [{ head: 'Organisation', cell: ({ orgId }: Replay) => orgId }]
        : []),
      { head: 'Started', cell: ({ startedAt }) => <Time at={startedAt} relative /> },
    ]}
  />
);
