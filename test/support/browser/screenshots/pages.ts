import type { Administrator } from '../../service/administrator.js';
import type { ExampleData } from './example-data.js';

export type PageToShow = {
  /** Of the file, without the colour scheme. */
  readonly name: string;
  readonly path: string;
  readonly width?: number;
  readonly height?: number;
};

const phone = { width: 390, height: 844 };

/** Every page, in the order of the navigation. */
export async function pages(data: ExampleData, administrator: Administrator): Promise<readonly PageToShow[]> {
  const { hook, delivery } = await objectsOf(data, administrator);
  return [
    { name: 'overview', path: '/console', height: 1_150 },
    { name: 'overview-phone', path: '/console', ...phone },
    { name: 'hooks', path: '/console/hooks' },
    { name: 'hook', path: hook, height: 1_600 },
    { name: 'hook-phone', path: hook, ...phone },
    { name: 'hook-unsubscribe', path: `${hook}/unsubscribe` },
    { name: 'replay', path: `/console/replays/${data.replayId}` },
    { name: 'deliveries', path: '/console/deliveries?orgId=acme' },
    { name: 'delivery', path: delivery, height: 1_100 },
    { name: 'flow-events', path: '/console/flow-events?orgId=acme' },
    { name: 'flow-event', path: `/console/flow-events/show?orgId=acme&id=${data.eventId}`, height: 1_000 },
    { name: 'publish', path: '/console/flow-events/publish?orgId=acme' },
    { name: 'organisations', path: '/console/organisations' },
    { name: 'organisation', path: '/console/organisations/show?orgId=acme' },
    { name: 'tasks', path: '/console/tasks' },
    { name: 'sessions', path: '/console/sessions' },
    { name: 'audit', path: '/console/audit?orgId=acme' },
    { name: 'audit-difference', path: '/console/audit/difference?orgId=acme&from=2026-01-01T00:00' },
    { name: 'audit-seals', path: '/console/audit/seals' },
    { name: 'views', path: '/console/views' },
    { name: 'view', path: '/console/views/listeners' },
    { name: 'clients', path: '/console/clients' },
    { name: 'api-keys', path: '/console/api-keys' },
    { name: 'keys', path: '/console/keys' },
    { name: 'health', path: '/console/health' },
    { name: 'set-aside', path: '/console/set-aside' },
    { name: 'portal', path: await portalPath(administrator) },
    { name: 'docs', path: '/docs' },
  ];
}

async function objectsOf({ listenerId, failingListenerId }: ExampleData, { get }: Administrator) {
  const { body } = await get(`/deliveries?orgId=acme&limit=1&listenerId=${failingListenerId}`);
  const [first] = (body as { readonly items: readonly { readonly id: string }[] }).items; // the answer of the route
  return {
    hook: `/console/hooks/${listenerId}`,
    delivery: `/console/deliveries/${first?.id}?orgId=acme`,
  };
}

/** Opens the portal of the customer whose pages the others show. */
async function portalPath({ post }: Administrator): Promise<string> {
  const { body } = await post('/portal-links', { orgId: 'acme', user: 'ada' });
  const { pathname, search } = new URL((body as { readonly url: string }).url); // the answer of the route
  return `${pathname}${search}`;
}
