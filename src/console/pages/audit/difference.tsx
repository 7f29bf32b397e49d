import { showAsOfRoute, showDifferenceRoute } from '../../../admin/api/contracts/audit.js';
import type { RouteAnswer } from '../../../http/route-contract.js';
import { Id } from '../../../site/components/card.js';
import { ListenerLink } from '../../../site/components/shown.js';
import { Time } from '../../../site/components/time.js';
import { Badge, type Tone } from '../../../site/components/tone.js';
import { routeList } from '../../../site/derived/route-list.js';
import { utcInstant } from '../../../site/fields.js';
import type { PageRequest } from '../../../site/page-request.js';
import type { Site } from '../../../site/page-view.js';
import { organisationField } from '../organisation.js';
import { AuditTabs } from './audit-parts.js';
import { Changes } from './changes.js';

type Difference = RouteAnswer<typeof showDifferenceRoute>['items'][number];
type ListenerDetails = RouteAnswer<typeof showAsOfRoute>['items'][number];

/** `/audit/difference`: an organisation at two moments; `/audit/as-of`: its listeners at one. */
export function momentPages(site: Site): void {
  const title = ({ caller }: PageRequest) => (caller.orgId === null ? 'Audit' : 'History');
  const upTo = (at: PageRequest) => utcInstant(at.query.text('to')) ?? at.now.toISOString();
  routeList(site, '/audit/difference', showDifferenceRoute, {
    title,
    trail: [],
    caption: 'Differences',
    lead: 'What differs in an organisation between two moments: listeners, integration task, settings and API keys.',
    above: (at) => <AuditTabs at={at} current="/difference" />,
    filters: {
      orgId: organisationField(true),
      from: moment('From (UTC)', true),
      to: moment('To (UTC; empty: now)'),
    },
    needs: ['orgId', 'from'],
    query: (at) => ({ to: upTo(at) }),
    unchosen: { title: 'Choose two moments', text: 'The state at each is folded from the events up to it.' },
    summary: (at) => (
      <p class="muted">
        From <Time at={utcInstant(at.query.text('from')) ?? ''} /> to <Time at={upTo(at)} />
      </p>
    ),
    keyOf: ({ change, id }) => `${change} ${id}`,
    columns: {
      Change: ({ change }) => <Badge tone={tones[change]}>{change}</Badge>,
      Object: ({ kind }) => kinds[kind],
      ID: ({ kind, id }) => (kind === 'listener' ? <ListenerLink listenerId={id} /> : <Id value={id} />),
      Values: {
        show: ({ before, after, message }) => message ?? <Changes before={before} after={after} />,
        wide: true,
      },
      'Last changed': 'changedAt',
      By: ({ changedBy }) => changedBy && <Id value={changedBy} />,
    },
    empty: {
      title: 'No differences',
      text: 'The organisation was the same at both moments. It may have changed in between and back: see its history.',
    },
  });

  routeList(site, '/audit/as-of', showAsOfRoute, {
    title,
    trail: [],
    caption: 'Registered listeners',
    lead: 'The listeners that were registered at a moment, read from the events.',
    above: (at) => <AuditTabs at={at} current="/as-of" />,
    filters: { orgId: organisationField(true), at: moment('At (UTC)', true) },
    needs: ['orgId', 'at'],
    unchosen: { title: 'Choose a moment' },
    keyOf: ({ stream }) => stream,
    columns: {
      Listener: (each) => <ListenerLink listenerId={textOf(each, 'listenerId')} />,
      State: (each) => <Badge tone={each.state === 'active' ? 'good' : 'warn'}>{textOf(each, 'state')}</Badge>,
      Type: (each) => textOf(each, 'subscriptionType'),
      URL: { show: (each) => <p class="two-lines">{textOf(each, 'hookUrl')}</p>, wide: true },
      Changed: 'changedAt',
    },
    empty: { title: 'No listeners were registered then' },
  });
}

/** The API takes positions too, and a form only times. */
const moment = (label: string, required = false) => ({ label, type: 'datetime-local' as const, required });

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

const textOf = (details: ListenerDetails, field: string): string => String(details[field] ?? '–');
