import type { listListenersInTroubleRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Id } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';

type Listener = RouteAnswer<typeof listListenersInTroubleRoute>['items'][number];

const troubles: Readonly<Record<Listener['trouble'], { readonly text: string; readonly tone: Tone }>> = {
  breaker: { text: 'Failing', tone: 'bad' },
  paused: { text: 'Paused after failures', tone: 'bad' },
  overdue: { text: 'Overdue', tone: 'warn' },
};

export type ListenersInTroubleProps = {
  readonly at: Pick<PageRequest, 'url'>;
  readonly listeners: readonly Listener[];
  /** The number of listeners that were asked for. */
  readonly max: number;
};

/** Listeners whose deliveries do not get through, with links to their pages. */
export const ListenersInTrouble = ({ at, listeners, max }: ListenersInTroubleProps) => (
  <Card title={listeners.length < max ? 'Listeners in trouble' : `Listeners in trouble, the first ${max}`}>
    <Table
      caption="Listeners in trouble"
      rows={listeners}
      keyOf={({ listenerId }) => listenerId}
      empty={<Empty title="Deliveries get through to every listener" />}
      columns={[
        {
          head: 'Listener',
          cell: ({ listenerId, hookUrl }) => (
            <Id value={hookUrl} href={at.url(`/listeners/${encodeURIComponent(listenerId)}`)} />
          ),
          wide: true,
        },
        {
          head: 'Organisation',
          cell: ({ orgId }) => <Id value={orgId} href={at.url('/organisations/show', { orgId })} />,
        },
        {
          head: 'State',
          cell: ({ trouble }) => <Badge tone={troubles[trouble].tone}>{troubles[trouble].text}</Badge>,
        },
        { head: 'Failing since', cell: ({ failingSince }) => failingSince && <Time at={failingSince} relative /> },
        { head: 'Failed in a row', cell: ({ failedAttempts }) => numberText(failedAttempts), numeric: true },
        { head: 'Due since', cell: ({ dueSince }) => dueSince && <Time at={dueSince} relative /> },
        { head: 'Tried again', cell: ({ openUntil }) => openUntil && <Time at={openUntil} relative /> },
      ]}
    />
  </Card>
);
