import type { RouteAnswer } from '../../../http/route-contract.js';
import type { listHooksInTroubleRoute } from '../../../operations/api/contracts/activity.js';
import { Badge } from '../../components/badge.js';
import { Card, Empty } from '../../components/card.js';
import { Id } from '../../components/facts.js';
import type { Tone } from '../../components/notice.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import type { PageRequest } from '../../page-request.js';

type Hook = RouteAnswer<typeof listHooksInTroubleRoute>['items'][number];

const troubles: Readonly<Record<Hook['trouble'], { readonly text: string; readonly tone: Tone }>> = {
  breaker: { text: 'Failing', tone: 'bad' },
  paused: { text: 'Paused after failures', tone: 'bad' },
  overdue: { text: 'Overdue', tone: 'warn' },
};

export type HooksInTroubleProps = {
  readonly at: Pick<PageRequest, 'url'>;
  readonly hooks: readonly Hook[];
  /** The number of hooks that were asked for. */
  readonly max: number;
};

/** Hooks whose deliveries do not get through, with links to their pages. */
export const HooksInTrouble = ({ at, hooks, max }: HooksInTroubleProps) => (
  <Card title={hooks.length < max ? 'Hooks in trouble' : `Hooks in trouble, the first ${max}`}>
    <Table
      caption="Hooks in trouble"
      rows={hooks}
      keyOf={({ listenerId }) => listenerId}
      empty={<Empty title="Deliveries get through to every hook" />}
      columns={[
        {
          head: 'Hook',
          cell: ({ listenerId, hookUrl }) => (
            <Id value={hookUrl} href={at.url(`/hooks/${encodeURIComponent(listenerId)}`)} />
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
