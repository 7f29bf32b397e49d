import type { listListenersInTroubleRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Id } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import { HookUrl } from '../../components/url.js';
import type { PageRequest } from '../../page-request.js';
import { failureText } from '../listeners/listener.js';

type Listener = RouteAnswer<typeof listListenersInTroubleRoute>['items'][number];

const troubles: Readonly<Record<Listener['trouble'], readonly [tone: Tone, word: string]>> = {
  breaker: ['bad', 'Circuit open'],
  paused: ['warn', 'Paused'],
  overdue: ['warn', 'Overdue'],
};

export type ListenersInTroubleProps = {
  readonly at: Pick<PageRequest, 'url'>;
  readonly listeners: readonly Listener[];
  /** Number of listeners that are shown. */
  readonly max: number;
};

/** Listeners whose deliveries do not get through: since when, why, and how much waits. */
export const ListenersInTrouble = ({ at, listeners, max }: ListenersInTroubleProps) => (
  <Card
    title={listeners.length === 0 ? 'Listeners in trouble' : `Listeners in trouble: ${numberText(listeners.length)}`}
    actions={
      listeners.length > max && (
        <a href={at.url('/listeners', { state: 'troubled' })}>All {numberText(listeners.length)}</a>
      )
    }
  >
    <Table
      caption="Listeners in trouble"
      rows={listeners.slice(0, max)}
      keyOf={({ listenerId }) => listenerId}
      empty={<Empty title="Deliveries get through to every listener" />}
      columns={[
        {
          head: 'Listener',
          cell: ({ listenerId, hookUrl }) => (
            <HookUrl url={hookUrl} href={at.url(`/listeners/${encodeURIComponent(listenerId)}`)} />
          ),
        },
        {
          head: 'Organisation',
          cell: ({ orgId }) => <Id value={orgId} href={at.url('/organisations/show', { orgId })} />,
        },
        {
          head: 'State',
          cell: ({ trouble }) => <Badge tone={troubles[trouble][0]}>{troubles[trouble][1]}</Badge>,
        },
        { head: 'Why', wide: true, cell: reasonOf },
        { head: 'Since', cell: (each) => <Since listener={each} /> },
        { head: 'Waiting', cell: ({ waiting, held }) => numberText(waiting + held), numeric: true },
        { head: 'Next attempt', cell: ({ openUntil }) => openUntil && <Time at={openUntil} relative /> },
      ]}
    />
  </Card>
);

/** One reason: the last failure, else that a delivery is late. */
function reasonOf({ lastFailure, failedAttempts, dueSince }: Listener) {
  const times = failedAttempts > 0 ? `${numberText(failedAttempts)} failed in a row` : undefined;
  if (lastFailure) return [failureText(lastFailure), times].filter(Boolean).join(', ');
  return times ?? (dueSince === null ? null : 'Deliveries are due, and not attempted');
}

function Since({ listener: { failingSince, dueSince } }: { readonly listener: Listener }) {
  const since = failingSince ?? dueSince;
  return since === null ? <span class="muted">–</span> : <Time at={since} relative />;
}
