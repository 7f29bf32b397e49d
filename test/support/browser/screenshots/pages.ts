import type { Page } from 'playwright-core';
import type { Administrator } from '../../service/administrator.js';
import type { ExampleData } from './example-data.js';

export type PageToShow = {
  /** Name of the file, without the colour scheme. */
  name: string;
  path: string;
  phone?: boolean;
  /** Status of the answer, if it is not 200. */
  status?: number;
  /** Sends a form of the page, whose answer is shown instead. */
  act?: (page: Page) => Promise<void>;
};

/** A page that is also shown at phone width. */
const both = (name: string, path: string, act?: PageToShow['act']): readonly PageToShow[] => [
  { name, path, ...(act && { act }) },
  { name: `${name}-phone`, path, phone: true, ...(act && { act }) },
];

const send = (button: string) => (page: Page) => page.getByRole('button', { name: button, exact: true }).click();

type Listed = { items: readonly { id: string; attempts: number }[] };

/** Every page, in the order of the navigation. */
export async function pages(data: ExampleData, { get }: Administrator): Promise<readonly PageToShow[]> {
  const { body } = await get(`/deliveries?orgId=acme&state=waiting&limit=200&listenerId=${data.failingListenerId}`);
  const { items: deliveries } = body as Listed; // the answer of the route
  const delivery = deliveries.find(({ attempts }) => attempts > 1) ?? deliveries.find(({ attempts }) => attempts > 0);
  return [
    ...activity(data, `/deliveries/${delivery?.id}?orgId=acme`),
    ...listeners(data),
    ...customers,
    ...service(data),
    ...portal(data),
  ].map((page) => (/^\/(portal|docs)/.test(page.path) ? page : { ...page, path: `/console${page.path}` }));
}

const activity = ({ eventId, replayId }: ExampleData, delivery: string): readonly PageToShow[] => [
  ...both('overview', ''),
  { name: 'replays', path: '/replays' },
  { name: 'replay', path: `/replays/${replayId}` },
  ...both('deliveries', '/deliveries?orgId=acme'),
  ...both('delivery', delivery),
  { name: 'delivery-redeliver', path: '/deliveries/redeliver?orgId=acme&state=held' },
  ...both('flow-events', '/flow-events?orgId=acme'),
  ...both('flow-event', `/flow-events/show?orgId=acme&id=${eventId}`),
  { name: 'flow-event-publish', path: '/flow-events/publish?orgId=acme' },
];

function listeners(data: ExampleData): readonly PageToShow[] {
  const listener = `/listeners/${data.listenerId}`;
  const paused = `/listeners/${data.pausedListenerId}`;
  return [
    ...both('listeners', '/listeners'),
    { name: 'listeners-empty', path: '/listeners?orgId=umbrella' },
    ...both('listener', listener),
    { name: 'listener-failing', path: `/listeners/${data.failingListenerId}` },
    { name: 'listener-explain', path: `${listener}/explain?eventId=${data.eventId}` },
    { name: 'listener-test', path: listener, act: send('Send a test') },
    ...both('listener-try', `${listener}/try`, send('Try')),
    { name: 'listener-replay', path: `${listener}/replay` },
    { name: 'listener-rotate-secret', path: `${listener}/rotate-secret` },
    { name: 'listener-secret', path: `${paused}/rotate-secret`, act: send('Rotate the secret') },
    { name: 'listener-resume', path: `${paused}/resume` },
    { name: 'listener-unsubscribe', path: `${listener}/unsubscribe` },
  ];
}

const customers: readonly PageToShow[] = [
  { name: 'organisations', path: '/organisations' },
  ...both('organisation', '/organisations/show?orgId=acme'),
  { name: 'organisation-erase', path: '/organisations/erase?orgId=acme' },
  { name: 'organisation-portal-link', path: '/organisations/show?orgId=acme', act: send('Make a link') },
  { name: 'tasks', path: '/tasks' },
  { name: 'sessions', path: '/sessions' },
  ...both('audit', '/audit?orgId=acme'),
];

const service = ({ beganAt, clientId }: ExampleData): readonly PageToShow[] => [
  { name: 'audit-difference', path: `/audit/difference?orgId=acme&from=${beganAt.slice(0, 16)}` },
  { name: 'audit-as-of', path: `/audit/as-of?orgId=acme&at=${new Date().toISOString().slice(0, 16)}` },
  { name: 'audit-service', path: '/audit/service' },
  { name: 'audit-seals', path: '/audit/seals' },
  ...both('event-types', '/event-types'),
  ...both('event-type', '/event-types/show?name=invoice.paid'),
  { name: 'event-type-declare', path: '/event-types/new' },
  ...both('views', '/views'),
  { name: 'view', path: '/views/listeners' },
  { name: 'view-rebuild', path: '/views/listeners/rebuild' },
  { name: 'clients', path: '/clients' },
  { name: 'client', path: `/clients/show?clientId=${clientId}` },
  { name: 'api-keys', path: '/api-keys' },
  { name: 'api-key-create', path: '/api-keys/new?orgId=acme' },
  { name: 'api-key-created', path: '/api-keys/new?orgId=acme', act: createKey },
  { name: 'keys', path: '/keys' },
  { name: 'set-aside', path: '/set-aside' },
  { name: 'operations', path: '/operations' },
  { name: 'health', path: '/health' },
  { name: 'error', path: '/listeners/00000000-0000-4000-8000-000000000000', status: 404 },
  { name: 'docs', path: '/docs' },
];

async function createKey(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('warehouse');
  await page.getByLabel('flows:publish').check();
  await send('Create')(page);
}

const portal = ({ listenerId }: ExampleData): readonly PageToShow[] => [
  ...both('portal', '/portal'),
  { name: 'portal-listeners', path: '/portal/listeners' },
  ...both('portal-listener', `/portal/listeners/${listenerId}`),
  { name: 'portal-listener-try', path: `/portal/listeners/${listenerId}/try`, act: send('Try') },
  { name: 'portal-deliveries', path: '/portal/deliveries' },
  { name: 'portal-flow-events', path: '/portal/flow-events' },
  { name: 'portal-replays', path: '/portal/replays' },
  { name: 'portal-history', path: '/portal/audit' },
  { name: 'portal-link-expired', path: '/portal/open?token=expired', status: 403 },
];
