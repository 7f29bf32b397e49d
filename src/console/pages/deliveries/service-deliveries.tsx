import { countDeliveriesRoute } from '../../../admin/api/contracts/deliveries.js';
import { listListenersInTroubleRoute } from '../../../admin/api/contracts/service.js';
import { Card, Empty, Id, Stats } from '../../components/card.js';
import { Table } from '../../components/table.js';
import { numberText, Time } from '../../components/time.js';
import { Badge } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { stateTexts } from './delivery-state.js';
import { listenerHref } from './delivery-table.js';

/** Before an organisation is chosen: counts of the whole service, and listeners in trouble with links to their deliveries. */
export async function readServiceDeliveries(at: PageRequest) {
  const [counts, { items: troubled }] = await Promise.all([
    at.call(countDeliveriesRoute, {}),
    at.call(listListenersInTroubleRoute, { query: { limit: '20' } }),
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
            ...(counts.exhausted > 0 && { tone: 'bad' as const }),
          },
          { label: stateTexts.cancelled, value: numberText(counts.cancelled) },
        ]}
      />
      <Empty title="Choose an organisation">
        <p>Deliveries are listed for one organisation at a time. The counts above are of all organisations.</p>
      </Empty>
      {troubled.length > 0 && (
        <Card title="Listeners in trouble">
          <Table
            caption="Listeners whose deliveries do not get through"
            rows={troubled}
            keyOf={({ listenerId }) => listenerId}
            empty={null}
            columns={[
              {
                head: 'Listener',
                wide: true,
                cell: ({ listenerId, hookUrl }) => <Id value={hookUrl} href={listenerHref(at, listenerId)} />,
              },
              { head: 'Organisation', cell: ({ orgId }) => orgId },
              {
                head: 'Trouble',
                cell: ({ trouble }) => <Badge tone={troubles[trouble].tone}>{troubles[trouble].text}</Badge>,
              },
              {
                head: 'Failing since',
                cell: ({ failingSince }) => failingSince && <Time at={failingSince} relative />,
              },
              {
                head: 'Deliveries',
                cell: ({ orgId, listenerId }) => (
                  <a href={at.url('/deliveries', { orgId, listenerId })}>Show deliveries</a>
                ),
              },
            ]}
          />
        </Card>
      )}
    </>
  );
}

const troubles = {
  breaker: { tone: 'bad', text: 'Circuit breaker open' },
  paused: { tone: 'warn', text: 'Paused after failures' },
  overdue: { tone: 'warn', text: 'Overdue' },
} as const;

const OldestDue = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <>none is due</>
  ) : (
    <>
      the oldest due <Time at={at} relative />
    </>
  );
