import type { ComponentChildren } from 'preact';
import { countDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { listBacklogRoute } from '../../../admin/api/contracts/service.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Card, Empty, Stats } from '../../../site/components/card.js';
import { Table } from '../../../site/components/table.js';
import { numberText, Time } from '../../../site/components/time.js';
import { HookUrl } from '../../../site/components/url.js';
import type { PageRequest } from '../../../site/page-request.js';
import { stateTexts } from './delivery-state.js';

type Backlog = RouteAnswer<typeof listBacklogRoute>['items'][number];

const shown = 20;
const maxCounted = '1000';

/** Data before an organisation is chosen: the backlog of the service, and the organisations and listeners that cause it. */
export async function readServiceDeliveries(at: PageRequest) {
  const [counts, { items: backlog }] = await Promise.all([
    at.call(countDeliveriesRoute, {}),
    at.call(listBacklogRoute, { query: { limit: maxCounted } }),
  ]);
  return (
    <>
      <Stats
        stats={[
          { label: stateTexts.waiting, value: numberText(counts.waiting), note: <OldestDue at={counts.oldestDueAt} /> },
          { label: stateTexts.held, value: numberText(counts.held) },
          { label: stateTexts.succeeded, value: numberText(counts.succeeded) },
          {
            label: 'Dead letters',
            value: numberText(counts.exhausted),
            tone: counts.exhausted > 0 ? 'bad' : undefined,
          },
          { label: stateTexts.cancelled, value: numberText(counts.cancelled) },
        ]}
      />
      {backlog.length === 0 ? (
        <Empty
          title="Nothing waits"
          text="Choose an organisation to see its deliveries. The counts above are of all organisations."
        />
      ) : (
        <div class="columns">
          <BacklogTable
            title="Backlog by organisation"
            rows={byOrganisation(backlog)}
            cell={({ orgId }) => <a href={at.url('/deliveries', { orgId, state: 'waiting' })}>{orgId}</a>}
          />
          <BacklogTable
            title="Backlog by listener"
            rows={backlog}
            cell={({ listenerId, hookUrl, orgId }) => (
              <>
                <HookUrl url={hookUrl} href={at.url(`/listeners/${listenerId}`)} /> <span class="muted">{orgId}</span>
              </>
            )}
          />
        </div>
      )}
    </>
  );
}

const BacklogTable = ({
  title,
  rows,
  cell,
}: {
  title: string;
  rows: readonly Backlog[];
  cell: (row: Backlog) => ComponentChildren;
}) => (
  <Card title={title} actions={rows.length > shown && <span class="muted">the first {shown}</span>}>
    <Table
      caption={title}
      rows={rows.slice(0, shown)}
      keyOf={({ listenerId }) => listenerId}
      empty={null}
      columns={{ Who: { show: cell, wide: true }, Waiting: 'waiting', Held: 'held' }}
    />
  </Card>
);

/** The sums of organisations, each with the ID of one listener as its key. */
function byOrganisation(backlog: readonly Backlog[]): readonly Backlog[] {
  const sums = new Map<string, Backlog>();
  for (const each of backlog) {
    const sum = sums.get(each.orgId);
    sums.set(each.orgId, sum ? { ...sum, waiting: sum.waiting + each.waiting, held: sum.held + each.held } : each);
  }
  return [...sums.values()].sort((one, other) => other.waiting + other.held - one.waiting - one.held);
}

const OldestDue = ({ at }: { at: string | null }) =>
  at === null ? (
    <>none is due</>
  ) : (
    <>
      the oldest due <Time at={at} relative />
    </>
  );
