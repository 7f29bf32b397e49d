import { showAsOfRoute, showDifferenceRoute } from '../../../admin/api/contracts/audit.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Empty, Id } from '../../components/card.js';
import { Field, FilterBar, Results } from '../../components/form.js';
import { Pager, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Badge, type Tone } from '../../components/tone.js';
import { utcInstant } from '../../fields.js';
import { organisationOf, type PageRequest } from '../../page-request.js';
import type { Site } from '../../page-view.js';
import { organisationField } from '../organisation.js';
import { AuditTabs, Changes, section } from './audit-parts.js';

type Difference = RouteAnswer<typeof showDifferenceRoute>['items'][number];
type ListenerDetails = RouteAnswer<typeof showAsOfRoute>['items'][number];

const pageSize = 50;

/** `/audit/difference`: an organisation at two moments; `/audit/as-of`: its listeners at one. */
export function momentPages(site: Site): void {
  site.get(`${section}/difference`, async (at) => {
    const orgId = organisationOf(at);
    const [from, to] = [utcInstant(at.query.text('from')), utcInstant(at.query.text('to')) ?? at.now.toISOString()];
    return {
      title: at.caller.orgId === null ? 'Audit' : 'History',
      trail: [],
      lead: 'What differs in an organisation between two moments: listeners, integration task, settings and API keys.',
      content: (
        <>
          <AuditTabs at={at} current="/difference" />
          <FilterBar>
            {organisationField(true)(at)}
            <Field name="from" label="From (UTC)" type="datetime-local" required />
            <Field name="to" label="To (UTC; empty: now)" type="datetime-local" />
          </FilterBar>
          <Results>
            {orgId === undefined || from === undefined ? (
              <Empty title="Choose two moments">
                <p>The state at each is folded from the events up to it.</p>
              </Empty>
            ) : (
              await differences(at, { orgId, from, to })
            )}
          </Results>
        </>
      ),
    };
  });

  site.get(`${section}/as-of`, async (at) => {
    const orgId = organisationOf(at);
    const moment = utcInstant(at.query.text('at'));
    return {
      title: at.caller.orgId === null ? 'Audit' : 'History',
      trail: [],
      lead: 'The listeners that were registered at a moment, read from the events.',
      content: (
        <>
          <AuditTabs at={at} current="/as-of" />
          <FilterBar>
            {organisationField(true)(at)}
            <Field name="at" label="At (UTC)" type="datetime-local" required />
          </FilterBar>
          <Results>
            {orgId === undefined || moment === undefined ? (
              <Empty title="Choose a moment" />
            ) : (
              await listenersAt(at, { orgId, at: moment })
            )}
          </Results>
        </>
      ),
    };
  });
}

async function listenersAt(at: PageRequest, moment: { orgId: string; at: string }) {
  const after = at.query.text('after');
  const { items, next } = await at.call(showAsOfRoute, { body: { ...moment, limit: pageSize, after } });
  return (
    <>
      <Listeners at={at} listeners={items} />
      <Pager next={next} />
    </>
  );
}

async function differences(at: PageRequest, moments: { orgId: string; from: string; to: string }) {
  const after = at.query.text('after');
  const { items, next } = await at.call(showDifferenceRoute, { body: { ...moments, limit: pageSize, after } });
  return (
    <>
      <p class="muted">
        From <Time at={moments.from} /> to <Time at={moments.to} />
      </p>
      <Differences at={at} differences={items} />
      <Pager next={next} />
    </>
  );
}

const kinds: Readonly<Record<Difference['kind'], string>> = {
  listener: 'Listener',
  integrationTask: 'Integration task',
  organisation: 'Settings',
  apiKey: 'API key',
};

const tones: Readonly<Record<Difference['change'], Tone>> = {
  added: 'good',
  removed: 'bad',
  changed: 'info',
  undecodable: 'warn',
};

const Differences = ({ at, differences: rows }: { at: PageRequest; differences: readonly Difference[] }) => (
  <Table
    caption="Differences"
    rows={rows}
    keyOf={({ change, id }) => `${change} ${id}`}
    empty={
      <Empty title="No differences">
        <p>The organisation was the same at both moments. It may have changed in between and back: see its history.</p>
      </Empty>
    }
    columns={{
      Change: ({ change }) => <Badge tone={tones[change]}>{change}</Badge>,
      Object: ({ kind }) => kinds[kind],
      ID: ({ kind, id }) =>
        kind === 'listener' ? (
          <Id value={id} href={at.url(`/listeners/${encodeURIComponent(id)}`)} />
        ) : (
          <Id value={id} />
        ),
      Values: {
        show: ({ before, after, message }) => message ?? <Changes before={before} after={after} />,
        wide: true,
      },
      'Last changed': 'changedAt',
      By: ({ changedBy }) => (changedBy === null ? '–' : <Id value={changedBy} />),
    }}
  />
);

const textOf = (details: ListenerDetails, field: string): string => String(details[field] ?? '–');

const Listeners = ({ at, listeners }: { at: PageRequest; listeners: readonly ListenerDetails[] }) => (
  <Table
    caption="Registered listeners"
    rows={listeners}
    keyOf={({ stream }) => stream}
    empty={<Empty title="No listeners were registered then" />}
    columns={{
      Listener: (each) => {
        const id = textOf(each, 'listenerId');
        return <Id value={id} href={at.url(`/listeners/${encodeURIComponent(id)}`)} />;
      },
      State: (each) => <Badge tone={each.state === 'active' ? 'good' : 'warn'}>{textOf(each, 'state')}</Badge>,
      Type: (each) => textOf(each, 'subscriptionType'),
      URL: { show: (each) => <p class="two-lines">{textOf(each, 'hookUrl')}</p>, wide: true },
      Changed: 'changedAt',
    }}
  />
);
