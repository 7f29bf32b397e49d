import { listSetAsideRoute, retrySetAsideRoute } from '../../../admin/api/contracts/set-aside.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Empty, Id } from '../../components/card.js';
import { ActionForm } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { Badge } from '../../components/tone.js';
import type { PageRequest } from '../../page-request.js';
import { type PageView, redirectTo, type Subject } from '../../page-view.js';

type SetAside = RouteAnswer<typeof listSetAsideRoute>['items'][number];
type Retried = RouteAnswer<typeof retrySetAsideRoute>['items'][number];

const section = '/set-aside';
const pageSize = 50;

/** `/set-aside`: flow events that could not be decoded, and their retry. */
export const setAsidePages: Subject = (site) => {
  site.get(section, async (at) => {
    const after = at.query.text('after');
    const { items, next } = await at.call(listSetAsideRoute, { query: { limit: String(pageSize), after } });
    return {
      title: 'Set-aside events',
      section,
      lead: 'Flow events that could not be decoded. They were sent to no listener, and are kept until a retry succeeds.',
      actions: at.may('operator') && items.length > 0 && (
        <ActionForm action={at.url(`${section}/retry`)} label="Retry all" />
      ),
      content: (
        <>
          <SetAsides at={at} events={items} />
          <Pager next={next} />
        </>
      ),
    };
  });

  site.post(`${section}/retry`, async (at): Promise<PageView | ReturnType<typeof redirectTo>> => {
    const place = at.form.pick('stream', 'revision');
    const retried: Retried[] = [];
    let after: string | undefined;
    do {
      const { items, next } = await at.call(retrySetAsideRoute, { body: { ...place, after } });
      retried.push(...items);
      after = next ?? undefined;
    } while (after !== undefined && retried.length < maxRetried);
    const failed = retried.filter(({ outcome }) => outcome === 'set-aside');
    if (failed.length === 0 && after === undefined) return redirectTo(at, section, { notice: 'set-aside-retried' });
    return {
      title: 'Result of the retry',
      section,
      trail: [{ href: at.url(section), text: 'Set-aside events' }],
      lead: `${retried.length - failed.length} of ${retried.length} events have been sent to their listeners.`,
      content: <Results results={retried} />,
    };
  });

  site.notices({ 'set-aside-retried': 'The events could be decoded now, and their deliveries are waiting.' });
};

/** Number of events that one form retries: the browser waits for all of them. */
const maxRetried = 1_000;

const Results = ({ results }: { results: readonly Retried[] }) => (
  <Table
    caption="Retried events"
    rows={results}
    keyOf={({ stream, revision }) => `${stream} ${revision}`}
    empty={null}
    columns={[
      { head: 'Stream', cell: ({ stream }) => <Id value={stream} /> },
      { head: 'Revision', numeric: true, cell: ({ revision }) => revision },
      {
        head: 'Result',
        cell: ({ outcome }) =>
          outcome === 'handed-over' ? <Badge tone="good">sent</Badge> : <Badge tone="bad">still set aside</Badge>,
      },
      { head: 'Deliveries', numeric: true, cell: ({ deliveries }) => deliveries },
      { head: 'Reason', wide: true, cell: ({ reason }) => reason ?? '–' },
    ]}
  />
);

const SetAsides = ({ at, events }: { at: PageRequest; events: readonly SetAside[] }) => (
  <Table
    caption="Set-aside events"
    rows={events}
    keyOf={({ stream, revision }) => `${stream} ${revision}`}
    empty={
      <Empty title="No events are set aside">
        <p>Events that a producer appends without an organisation, or in a shape that cannot be read, appear here.</p>
      </Empty>
    }
    columns={[
      { head: 'Stream', cell: ({ stream }) => <Id value={stream} /> },
      { head: 'Revision', numeric: true, cell: ({ revision }) => revision },
      { head: 'Position', numeric: true, cell: ({ position }) => position },
      { head: 'Type', cell: ({ type }) => type },
      { head: 'Reason', wide: true, cell: ({ reason }) => reason },
      ...(at.may('operator')
        ? [
            {
              head: 'Action',
              cell: ({ stream, revision }: SetAside) => (
                <ActionForm action={at.url(`${section}/retry`)} label="Retry" hidden={{ stream, revision }} />
              ),
            },
          ]
        : []),
    ]}
  />
);
