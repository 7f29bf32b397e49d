import { showHistoryRoute, showServiceHistoryRoute } from '../../../admin/api/contracts/audit.js';
import type { SealCalls } from '../../../admin/api/seals.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Empty, Id, Json } from '../../components/card.js';
import { CheckBox, Field, FilterBar, Results } from '../../components/form.js';
import { Period } from '../../components/period.js';
import { Pager, Table } from '../../components/table.js';
import { Time } from '../../components/time.js';
import { Export, exportPage } from '../../derived/export.js';
import { utcInstant } from '../../fields.js';
import { organisationOf, type PageRequest } from '../../page-request.js';
import type { Site, Subject } from '../../page-view.js';
import { typeHref } from '../event-types/event-type.js';
import { organisationField } from '../organisation.js';
import { AuditTabs, Changes, section } from './audit-parts.js';
import { momentPages } from './difference.js';
import { sealPages } from './seals.js';

type Entry = RouteAnswer<typeof showHistoryRoute>['items'][number];

const pageSize = 30;

/** `/audit` and `/audit/service`: changes with time, actor, and states before and after. */
function historyPages(site: Site): void {
  exportPage(site, section, {
    route: showHistoryRoute,
    read: (at, after) => historyOf(at, organisationOf(at) ?? '', { limit: 1_000, after }),
  });
  site.get(section, async (at) => {
    const orgId = organisationOf(at);
    return {
      title: at.caller.orgId === null ? 'Audit' : 'History',
      trail: [],
      lead: 'Every change to listeners, integration task, settings and API keys, read from the events.',
      content: (
        <>
          <AuditTabs at={at} current="" />
          <FilterBar>
            {organisationField(true)(at)}
            <Field name="listenerId" label="Listener (ID)" />
            <Field name="user" label="Sessions of the user" />
            <Period />
            <CheckBox name="users" label="Sessions of all users" />
          </FilterBar>
          <Results>{orgId === undefined ? <NoOrganisation /> : await organisationHistory(at, orgId)}</Results>
        </>
      ),
    };
  });

  site.get(`${section}/service`, async (at) => {
    const { items, next } = await at.call(showServiceHistoryRoute, {
      query: { ...rangeOf(at), limit: String(pageSize), after: at.query.text('after') },
    });
    return {
      title: 'Audit',
      trail: [],
      lead: 'Every change to the registered clients, to the keys of the service and to event types, and every erasure.',
      content: (
        <>
          <AuditTabs at={at} current="/service" />
          <FilterBar>
            <Period />
          </FilterBar>
          <Results>
            <Entries at={at} entries={items} next={next} />
          </Results>
        </>
      ),
    };
  });
}

async function organisationHistory(at: PageRequest, orgId: string) {
  const { items, next } = await historyOf(at, orgId, { limit: pageSize, after: at.query.text('after') });
  return (
    <>
      <Entries at={at} entries={items} next={next} />
      <Export />
    </>
  );
}

function historyOf(at: PageRequest, orgId: string, page: { limit: number; after: string | undefined }) {
  const user = at.query.text('users') === 'true' ? true : at.query.text('user');
  const listenerId = at.query.text('listenerId');
  return at.call(showHistoryRoute, { body: { orgId, ...rangeOf(at), listenerId, user, ...page, first: 'newest' } });
}

const rangeOf = ({ query }: PageRequest) => ({
  from: utcInstant(query.text('from')),
  to: utcInstant(query.text('to')),
});

const NoOrganisation = () => (
  <Empty title="Name an organisation">
    <p>The history is read organisation by organisation.</p>
  </Empty>
);

const Entries = ({ at, entries, next }: { at: PageRequest; entries: readonly Entry[]; next: string | null }) => (
  <>
    <Table
      caption="Changes"
      rows={entries}
      keyOf={({ eventId }) => eventId}
      empty={
        <Empty title="No changes">
          <p>Nothing was recorded that fits these filters.</p>
        </Empty>
      }
      columns={{
        Time: (entry) => <Time at={entry.at} />,
        What: (entry) => (
          <>
            <What entry={entry} /> <ObjectLink at={at} entry={entry} />
          </>
        ),
        Change: { show: (entry) => <Change entry={entry} />, wide: true },
      }}
    />
    <Pager next={next} />
  </>
);

/** `admin:ops paused the listener`. */
const What = ({ entry: { actor, actorName, type, reason } }: { entry: Entry }) => (
  <span title={type}>
    <strong title={actor ?? undefined}>{actorName ?? actor ?? 'The service'}</strong>{' '}
    {reason === 'circuit-closed' ? 'tried the listener again at once' : verbOf(type)}
  </span>
);

/** Words of the pages for the objects. */
const objects: Readonly<Record<string, string>> = {
  Listener: 'the listener',
  IntegrationTask: 'the integration task',
  OrganisationSettings: 'the settings',
  ApiKey: 'an API key',
  Client: 'the client',
  EventType: 'the event type',
  Session: 'the session',
  Consent: 'the consent',
  PortalLink: 'the link to the portal',
  PortalSession: 'the portal session',
};

const verbs: Readonly<Record<string, string>> = {
  ListenerSubscribed: 'registered the listener',
  ListenerSubscriptionChanged: 'changed the subscription',
  ListenerSecretRotated: 'rotated the signing secret',
  ListenerFailing: 'found the listener failing',
  ListenerUnsubscribed: 'removed the listener',
  TokensIssued: 'signed in',
  RefreshRotated: 'refreshed the tokens',
  RefreshReuseDetected: 'presented an earlier refresh token',
  StreamsErased: 'erased streams',
  OrganisationErased: 'erased an organisation',
};

/** `ListenerPaused`: paused the listener. */
function verbOf(type: string): string {
  const known = verbs[type];
  if (known !== undefined) return known;
  const name = Object.keys(objects).find((each) => type.startsWith(each)) ?? '';
  const words = type
    .slice(name.length)
    .replaceAll(/(?<!^)[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
  return `${words} ${objects[name] ?? ''}`.trim();
}

const Change = ({ entry }: { entry: Entry }) => (
  <>
    {entry.undecodable === null ? (
      <Changes before={entry.before} after={entry.after} />
    ) : (
      <>Cannot be decoded: {entry.undecodable}</>
    )}
    {entry.reason !== null && <p class="muted">Reason: {entry.reason}</p>}
    <details>
      <summary>Entry</summary>
      <Json value={entry} />
    </details>
  </>
);

function ObjectLink({ at, entry }: { at: PageRequest; entry: Entry }) {
  const { listenerId, sessionId, clientId, apiKeyId, eventType, hookUrl } = entry;
  if (listenerId !== null) {
    return (
      <>
        <Id value={listenerId} href={at.url(`/listeners/${encodeURIComponent(listenerId)}`)} />
        {hookUrl !== null && (
          <p class="muted two-lines" title={hookUrl}>
            {hookUrl}
          </p>
        )}
      </>
    );
  }
  if (eventType !== null) return <a href={typeHref(at, eventType)}>{eventType}</a>;
  const id = apiKeyId ?? sessionId ?? clientId;
  return id === null ? null : <Id value={id} />;
}

/** `/audit`: history, differences between two moments, listeners at one; seals for operators only. */
export const auditPages =
  (seals?: SealCalls): Subject =>
  (site) => {
    historyPages(site);
    momentPages(site);
    if (seals) sealPages(site, seals);
  };
