import { showHistoryRoute, showServiceHistoryRoute } from '../../../admin/api/contracts/audit.js';
import type { SealCalls } from '../../../admin/api/seals.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Id, Json } from '../../../site/components/card.js';
import { CheckBox, Field } from '../../../site/components/form.js';
import { Period } from '../../../site/components/period.js';
import type { Columns } from '../../../site/components/table.js';
import { TextWithTimes } from '../../../site/components/time.js';
import { routeList } from '../../../site/derived/route-list.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site, Subject } from '../../../site/page-view.js';
import { typeHref } from '../event-types/event-type.js';
import { reasonText } from '../listeners/reason-text.js';
import { organisationField } from '../organisation.js';
import { AuditTabs } from './audit-parts.js';
import { Changes } from './changes.js';
import { momentPages } from './difference.js';
import { sealPages } from './seals.js';

type Entry = RouteAnswer<typeof showHistoryRoute>['items'][number];

/** `/audit` and `/audit/service`: changes with time, actor, and states before and after. */
function historyPages(site: Site): void {
  const common = {
    trail: [],
    caption: 'Changes',
    pageSize: 30,
    keyOf: ({ eventId }: Entry) => eventId,
    columns: (at: PageRequest): Columns<Entry> => ({
      Time: 'at',
      What: (entry) => (
        <>
          <What entry={entry} /> <ObjectLink at={at} entry={entry} />
        </>
      ),
      Change: { show: (entry) => <Change entry={entry} />, wide: true },
    }),
    empty: { title: 'No changes', text: 'Nothing was recorded that fits these filters.' },
  };
  routeList(site, '/audit', showHistoryRoute, {
    ...common,
    title: ({ caller }) => (caller.orgId === null ? 'Audit' : 'History'),
    lead: 'Every change to listeners, integration task, settings and API keys, read from the events.',
    isExported: true,
    above: (at) => <AuditTabs at={at} current="" />,
    filters: {
      orgId: organisationField(true),
      listenerId: 'Listener (ID)',
      user: () => <Field name="user" label="Sessions of the user" />,
      from: () => <Period />,
      to: () => null,
      users: () => <CheckBox name="users" label="Sessions of all users" />,
    },
    needs: ['orgId'],
    query: ({ query }) => ({ first: 'newest', ...(query.text('users') === 'true' && { user: true }) }),
    unchosen: { title: 'Name an organisation', text: 'The history is read organisation by organisation.' },
  });
  routeList(site, '/audit/service', showServiceHistoryRoute, {
    ...common,
    title: 'Audit',
    lead: 'Every change to the registered clients, to the keys of the service and to event types, and every erasure.',
    above: (at) => <AuditTabs at={at} current="/service" />,
    filters: { from: () => <Period />, to: () => null },
  });
}

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
    {entry.reason !== null && (
      <p class="muted">
        Reason:{' '}
        <TextWithTimes text={entry.listenerId === null ? entry.reason : reasonText(entry.reason, entry.actor)} />
      </p>
    )}
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
